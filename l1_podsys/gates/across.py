"""The vendor's test of collectives over several nodes, where it is built with MPI and something can start it there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from l0_infra.core.errors import OgaiError
from l0_infra.core.nodeset import fold
from l1_podsys.gates.addresses import carrier_of
from l1_podsys.gates.collective import UNBEGUN, Add, Sum
from l1_podsys.gates.perf_runs import ACROSS_S, PerfRun, across_command, conclude, read_run
from l1_podsys.gates.reach import Reach
from l1_podsys.gates.view import NodeView
from l1_podsys.schemas import Cluster

__all__ = ["Across", "across_argv", "across_of", "add_across"]

SSH = "-o BatchMode=yes -o ConnectTimeout=10"


@dataclass(frozen=True, kw_only=True, slots=True)
class Across:
    """How it is started: by what, which program, and how many processes a node has, one for each accelerator."""

    launcher: str
    program: str
    local: int
    vendor: str

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.program.rpartition('/')[2]}, {'srun' if self.launcher == 'srun' else 'mpirun'}"


def across_of(views: Sequence[NodeView], runs: Mapping[str, PerfRun], *, slurm: bool) -> Across | None:
    """Choose how; None where a node lacks the program, nodes are not alike, or nothing can start it."""
    found = [(runs.get(view.name, PerfRun()), view.facts) for view in views]
    programs = {run.mpi for run, _ in found}
    kinds = {tuple(one.vendor for one in facts.accelerators) if facts else () for _, facts in found}
    launchers = [one for one in found[0][0].launchers if slurm or one != "srun"]
    if len(programs) != 1 or len(kinds) != 1 or not all((*programs, *kinds)) or not launchers:
        return None
    (vendors,) = kinds
    return Across(launcher=launchers[0], program=programs.pop(), local=len(vendors), vendor=vendors[0])


def add_across(cluster: Cluster, how: Across, reach: Reach) -> Add:
    """Start it on the first of the nodes for all of them; each has the same answer."""

    def add(views: Sequence[NodeView], _: int) -> Sum:
        names = [view.name for view in views]
        command = across_command(across_argv(how, names, _interface(cluster, views)))
        said = reach(names[:1], lambda _, runner: read_run(runner.run(command)), limit_s=ACROSS_S + 10)
        return Sum(told=dict.fromkeys(names, _answer(said[names[0]], how.local * len(views))))

    return add


def _answer(said: PerfRun | OgaiError, ranks: int) -> float | str:
    if isinstance(said, OgaiError):
        return f"{UNBEGUN}{said.found}"
    end = conclude(said, ranks)
    if end.kind == "well":
        return max(end.speeds)
    return f"{UNBEGUN}{end.words}" if end.kind == "unknown" else end.words


def across_argv(how: Across, names: Sequence[str], interface: str) -> tuple[str, ...]:
    """Write the command line of the launcher and the test; `interface` is named alike on all nodes, or empty."""
    local, ranks = str(how.local), str(len(names) * how.local)
    settings = [f"{name}={interface}" for name in ("NCCL_SOCKET_IFNAME", "HCCL_SOCKET_IFNAME") if interface]
    if how.launcher == "srun":
        asked = (f"--nodelist={fold(names)}", f"--nodes={len(names)}", f"--ntasks={ranks}")
        whole = (f"--ntasks-per-node={local}", f"--gpus-per-node={local}", "--exclusive", "--mem=0")
        limits = ("--job-name=ogai-check", "--immediate=60", "--time=10")
        return ("env", *settings, "srun", "--mpi=pmix", *limits, *asked, *whole, *_test(how))
    if how.launcher == "openmpi":
        hosts = ("--host", ",".join(f"{name}:{local}" for name in names))
        passed = [
            word for one in ("PATH", "LD_LIBRARY_PATH", "NCCL_DEBUG", *settings) for word in ("-x", one)
        ]
        ways = ("--bind-to", "none", "--mca", "plm_rsh_args", SSH)
        return ("mpirun", "-np", ranks, *hosts, *ways, *passed, *_test(how))
    return ("env", *settings, "mpirun", "-n", ranks, "-ppn", local, "-hosts", ",".join(names), *_test(how))


def _test(how: Across) -> tuple[str, ...]:
    """Write the test itself: each process has one accelerator."""
    if how.vendor == "ascend":
        return (
            how.program,
            "-b",
            "8K",
            "-e",
            "1G",
            "-f",
            "2",
            "-d",
            "fp32",
            "-o",
            "sum",
            "-p",
            str(how.local),
        )
    return (how.program, "-b", "8", "-e", "1G", "-f", "2", "-g", "1")


def _interface(cluster: Cluster, views: Sequence[NodeView]) -> str:
    """Return the interface that all use with each other, if they call it alike."""
    names = {carrier_of(cluster, view)[1] for view in views}
    return names.pop() if len(names) == 1 else ""

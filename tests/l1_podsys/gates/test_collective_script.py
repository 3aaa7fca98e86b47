"""collective.sh as it runs on a node, with programs that only print: what is found, how it is called, how it ends."""

import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

import pytest

from l0_infra.core.exec import Command, LocalRunner
from l1_podsys.gates.perf_runs import PerfRun, across_command, conclude, read_run, within_command

TABLE = """#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong
  1073741824  268435456  float  sum  -1  5088.2  211.03  369.30  0  5101.7  210.47  368.32  0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 121.9"""
NPU_TABLE = """data_size(Bytes): | aveg_time(us): | alg_bandwidth(GB/s): | check_result:
1073741824          | 11650.80       | 92.16035             | success"""
TOOLS = ("sh", "ldd", "grep", "cat", "env")

pytestmark = pytest.mark.real


@dataclass(frozen=True)
class Node:
    """A PATH of its own: programs that write how they were called, then print and end as they are told."""

    folder: Path

    def install(self, name: str, text: str, code: int = 0, *, at: str = "bin") -> Path:
        place = self.folder / at / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(
            f"#!/bin/sh\necho {name} \"$@\" >>{self.folder}/calls\ncat <<'EOF'\n{text}\nEOF\nexit {code}\n"
        )
        place.chmod(place.stat().st_mode | stat.S_IXUSR)
        return place

    def calls(self) -> list[str]:
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def run(self, command: Command) -> PerfRun:
        words = (
            "env",
            "-i",
            f"PATH={self.folder}/bin",
            f"ASCEND_HOME_PATH={self.folder}/cann",
            *command.argv,
        )
        with LocalRunner() as runner:
            return read_run(
                runner.run(Command(argv=words, stdin=command.stdin, deadline_s=command.deadline_s))
            )


@pytest.fixture
def node(tmp_path: Path) -> Node:
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        there = shutil.which(tool)
        if there is None:
            pytest.skip(f"needs {tool}")
        (tmp_path / "bin" / tool).symlink_to(there)
    return Node(tmp_path)


def test_a_program_on_the_path_runs_among_all_accelerators(node: Node) -> None:
    place = node.install("all_reduce_perf", TABLE)
    run = node.run(within_command("nvidia", 8, ""))
    assert (run.program, run.mpi, run.launchers, run.exit_code) == (str(place), "", (), 0)
    assert conclude(run, 8).speeds == pytest.approx((369.30e9, 368.32e9))
    assert node.calls() == ["all_reduce_perf -b 8 -e 1G -f 2 -g 8"]


def test_a_node_without_one_says_so(node: Node) -> None:
    run = node.run(within_command("amd", 8, ""))
    assert (run.heard, run.program) == (True, "")


@pytest.mark.parametrize("as_folder", [True, False], ids=["folder", "program"])
def test_the_place_of_the_document_comes_first(node: Node, as_folder: bool) -> None:
    node.install("all_reduce_perf", TABLE)
    wished = node.install("all_reduce_perf", TABLE, at="own place")
    place = str(wished.parent if as_folder else wished)
    assert node.run(within_command("nvidia", 2, place)).program == str(wished)


def test_what_starts_it_across_nodes_is_found(node: Node) -> None:
    node.install("all_reduce_perf", TABLE)
    many = node.install("all_reduce_perf_mpi", TABLE)
    node.install("mpirun", "mpirun (Open MPI) 4.1.4")
    node.install(
        "srun",
        "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\nspecific pmix plugin versions available: pmix_v4",
    )
    run = node.run(within_command("nvidia", 8, ""))
    assert (run.mpi, run.launchers) == (str(many), ("srun", "openmpi"))
    assert node.calls()[-1] == "all_reduce_perf -b 8 -e 1G -f 2 -g 8"


def test_slurm_without_pmix_starts_nothing(node: Node) -> None:
    node.install("all_reduce_perf_mpi", TABLE)
    node.install("srun", "MPI plugin types are...\n\tnone\n\tpmi2")
    node.install("mpirun", "HYDRA build details:\n    Version: 4.0.2")
    run = node.run(within_command("nvidia", 8, ""))
    assert run.launchers == ("hydra",) and run.program.endswith("_mpi")


def test_npus_need_a_launcher_within_the_node_too(node: Node) -> None:
    place = node.install("all_reduce_test", NPU_TABLE, at="cann/tools/hccl_test/bin")
    without = node.run(within_command("ascend", 8, ""))
    assert conclude(without, 8).words == "mpirun, which hccl_test needs, is not installed"
    node.install("mpirun", f"HYDRA\n{NPU_TABLE}")
    run = node.run(within_command("ascend", 8, ""))
    assert conclude(run, 8).speeds == pytest.approx((92.16035e9 * 1.75,))
    assert node.calls()[-1] == f"mpirun -n 8 {place} -b 8K -e 1G -f 2 -d fp32 -o sum -p 8"


def test_its_exit_code_is_told(node: Node) -> None:
    node.install("all_reduce_perf", "n1: Test CUDA failure common.cu:1 'no device'", 2)
    run = node.run(within_command("nvidia", 8, ""))
    assert (run.exit_code, conclude(run, 8).kind) == (2, "failed")


def test_across_nodes_the_launcher_is_called_as_written(node: Node) -> None:
    node.install("mpirun", TABLE)
    run = node.run(across_command(("env", "NCCL_SOCKET_IFNAME=ib0", "mpirun", "-n", "16", "P", "-b", "8")))
    assert conclude(run, 16).kind == "well" and node.calls() == ["mpirun -n 16 P -b 8"]


def test_a_program_that_reads_does_not_take_the_rest_of_the_script(node: Node) -> None:
    place = node.folder / "bin/all_reduce_perf"
    place.write_text(f"#!/bin/sh\ncat\ncat <<'EOF'\n{TABLE}\nEOF\n")
    place.chmod(0o755)
    assert conclude(node.run(within_command("nvidia", 8, "")), 8).kind == "well"

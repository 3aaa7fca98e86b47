"""Clusters of any size without a host: nodes that answer what was recorded, and count what they are asked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from l0_infra import RoleSheet
from l0_infra.core.exec import Answer, Command, Runner, ScriptedRunner
from l0_infra.schemas import Outcome, Role
from l1_podsys.schemas import Cluster, NodeGroup, Scheduler, Ssh, Storage
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.roles import Roles
from ogai.flows.node.targets import targets_of_cluster

__all__ = ["ROLES", "ScriptedNodes", "a_cluster"]

FACTS = (Path(__file__).parent.parent / "cases/facts/server_two_sockets.bundle").read_bytes()

ABOVE: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "names": (("all",), ("base",), ("names",)),
    "users": (("all",), ("base",), ()),
    "storage": (("all",), ("names",), ("storage",)),
    "munge": (("all",), ("users", "time"), ()),
    "slurm_accounting": (("controller",), ("munge",), ()),
    "slurm_controller": (("controller",), ("slurm_accounting", "storage"), ()),
    "slurm_node": (("compute",), ("munge", "storage"), ("slurm_controller",)),
    "runtime": (("controller",), ("storage",), ()),
    "containers": (("compute",), ("base",), ()),
    "node_exporter": (("all",), ("base",), ()),
    "prometheus": (("controller",), ("node_exporter",), ()),
}
"""By role: where it belongs, what comes before it on its node, and what on the controller."""


def _sheet(
    name: str, on: Sequence[str], after: Sequence[str] = (), after_controller: Sequence[str] = ()
) -> RoleSheet:
    role = Role(
        name=name,
        reason=f"the cluster needs {name}",
        on=tuple(on),  # type: ignore[arg-type]
        after=tuple(after),
        after_controller=tuple(after_controller),
        outcome=Outcome(
            files=(f"/etc/{name}/first.conf", f"/etc/{name}/second.conf"), services=(name,), packages=(name,)
        ),
    )
    return RoleSheet(role=role, folder=Path(f"/roles/{name}"), sha256=f"sha256 of {name}")


ROLES = Roles(
    provision=(_sheet("base", ("all",)), _sheet("time", ("all",), ("base",), ("time",))),
    bringup=tuple(_sheet(name, *rest) for name, rest in ABOVE.items()),
)


def a_cluster(nodes: int, name: str = "pod") -> Cluster:
    """Describe a cluster with one head and so many compute nodes."""
    return Cluster(
        name=name,
        nodes=(
            NodeGroup(names="head", roles=("head",), addresses="10.0.0.1"),
            NodeGroup(
                names=f"n[00001-{nodes:05}]",
                roles=("compute",),
                addresses=_addresses(nodes),
                node_class="gpu",
            ),
        ),
        ssh=Ssh(user="root"),
        scheduler=Scheduler(version="24.11"),
        storage=(Storage(mountpoint="/shared", filesystem="existing"),),
    )


def _addresses(nodes: int) -> str:
    return ",".join(
        f"10.{1 + index // 62500}.{index // 250 % 250}.{1 + index % 250}" for index in range(nodes)
    )


class ScriptedNodes(Nodes):
    """Nodes that answer with recorded facts, and with what `found` says of the things that roles leave.

    `marks` are the cluster and the id that nodes bear.
    """

    def __init__(
        self,
        cluster: Cluster,
        found: Mapping[str, str] | None = None,
        marks: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        super().__init__(targets_of_cluster(cluster))
        self.found = found or {
            "file": "644 root root 00",
            "service": "active enabled",
            "package": "installed 1",
        }
        self.marks = marks or {}
        self.trips: Counter[str] = Counter()

    def runner(self, name: str) -> Runner:
        return ScriptedRunner(name).answer(lambda command: True, lambda command: self.answer(name, command))

    def answer(self, name: str, command: Command) -> Answer:
        self.trips[name] += 1
        script = (command.stdin or b"").decode()
        looks = script.endswith("echo end")
        return Answer(stdout=self.looked(script) if looks else self.facts(name))

    def facts(self, name: str) -> bytes:
        mark = self.marks.get(name)
        if mark is None:
            return FACTS
        cluster, number = mark
        lines = f"|/etc/ogai/cluster:cluster={cluster}\n|/etc/ogai/cluster:id={number}\n"
        return FACTS.replace(b"@ system.txt 2\n", f"@ system.txt 2\n{lines}".encode())

    def looked(self, script: str) -> str:
        lines = []
        for line in script.splitlines():
            call, _, names = line.partition(" ")
            kind = {"files": "file", "services": "service", "packages": "package"}.get(call)
            if kind is not None and "(" not in call:
                lines += [f"{kind}\t{one}\t{self.found[kind]}" for one in names.split()]
        return "\n".join((*lines, "end\n"))

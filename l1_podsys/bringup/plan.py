"""From a cluster's document and what was found to the steps that make it so; pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.schemas import ApplyRole, Plan, Role, Step
from l1_podsys.bringup.members import Member
from l1_podsys.bringup.scene import BringupScene
from l1_podsys.bringup.variables import variables_of
from l1_podsys.schemas import Cluster

__all__ = ["plan_bringup"]

Variables = dict[str, str]


def plan_bringup(scene: BringupScene, nodes: Iterable[str], *, others: Iterable[str] = ()) -> Plan:
    """Plan the roles that these nodes get; `others` are roles that come before in another plan for the same nodes.

    Raises UnsatisfiableError when roles wait for each other in a circle.
    """
    without = unwanted(scene.cluster) | (frozenset() if scene.identity else frozenset({"member"}))
    wanted = [role for role in _ordered(scene.roles) if role.name not in without]
    planner = _Planner(scene, wanted, frozenset(others))
    steps = [step for name in nodes for step in planner.steps(scene.members[name])]
    return Plan(title=f"cluster {scene.cluster.name}", steps=tuple(steps))


def unwanted(cluster: Cluster) -> frozenset[str]:
    """Name the roles that this cluster does without."""
    slurm = cluster.scheduler.engine == "slurm"
    without = {
        "containers": cluster.runtime.containers == "none",
        "munge": not slurm,
        "node_exporter": not cluster.monitoring.install,
        "prometheus": not cluster.monitoring.install,
        "runtime": not cluster.runtime.install,
        "slurm_account": not slurm,
        "slurm_accounting": not (slurm and cluster.scheduler.accounting),
        "slurm_controller": not slurm,
        "slurm_node": not slurm,
        "storage": not cluster.storage,
    }
    return frozenset(role for role, left_out in without.items() if left_out)


def _ordered(roles: Sequence[Role]) -> list[Role]:
    """Put roles in an order in which each comes after what it waits for; by turns, and what much waits for first."""
    known = {role.name: role for role in roles}
    after = {
        role.name: [
            name for name in (*role.after, *role.after_controller) if name in known and name != role.name
        ]
        for role in roles
    }
    sorter = TopologicalSorter(after)
    try:
        sorter.prepare()
    except CycleError as error:
        raise UnsatisfiableError("roles", found=" → ".join(error.args[1]), expected="no circle") from error
    lengths, ordered, free = _lengths(after, known), list[str](), list[str]()
    while sorter.is_active() or free:
        free = sorted((*free, *sorter.get_ready()), key=lambda name: (known[name].turn, -lengths[name], name))
        ordered.append(free.pop(0))
        sorter.done(ordered[-1])
    return [known[name] for name in ordered]


def _lengths(after: Mapping[str, Sequence[str]], roles: Mapping[str, Role]) -> Mapping[str, int]:
    """Count, for each role, the longest chain of roles that wait for it one after the other, on any node."""
    lengths = {name: int(name in roles[name].after_controller) for name in after}
    for name in reversed(list(TopologicalSorter(after).static_order())):
        for other in after[name]:
            lengths[other] = max(lengths[other], lengths[name] + 1)
    return lengths


class _Planner:
    def __init__(self, scene: BringupScene, roles: Sequence[Role], others: frozenset[str]) -> None:
        self.scene, self.roles, self.others = scene, roles, others
        self.of_controller = self.roles_of(scene.members[scene.controller])
        self.kept: dict[tuple[tuple[str, str], ...], Variables] = {}

    def roles_of(self, member: Member) -> Mapping[str, Role]:
        return {role.name: role for role in self.roles if member.places.intersection(role.on)}

    def steps(self, member: Member) -> Iterator[Step]:
        own = self.roles_of(member)
        for role in own.values():
            variables = self.one(variables_of(role.name, self.scene, member))
            yield Step(
                id=f"{member.name}:{role.name}",
                node=member.name,
                reason=role.reason,
                action=ApplyRole(role=role.name, variables=variables),
                key=self.scene.key_of(member.name, role.name, variables),
                after=tuple(dict.fromkeys(self.after(member, role, own))),
            )

    def after(self, member: Member, role: Role, own: Mapping[str, Role]) -> Iterator[str]:
        for name in role.after:
            if name in own or name in self.others:
                yield f"{member.name}:{name}"
        for name in role.after_controller:
            step = f"{self.scene.controller}:{name}"
            if (name in self.of_controller or name in self.others) and step != f"{member.name}:{role.name}":
                yield step

    def one(self, variables: Variables) -> Variables:
        """Return the one mapping of these variables, however many nodes have the same."""
        return self.kept.setdefault(tuple(variables.items()), variables)

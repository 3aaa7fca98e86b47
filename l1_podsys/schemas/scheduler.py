"""What distributes the work over the nodes."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, field

from l0_infra.core.documents import Part, Text, repeated, unknown
from l0_infra.core.errors import Fault, UsageError
from l0_infra.core.nodeset import expand

__all__ = ["NodePartition", "Scheduler", "Switch"]

Uid = Annotated[int, Meta(ge=1, le=2**31 - 1)]
TimeLimit = Annotated[int, Meta(ge=60, extra_json_schema={"x-unit": "seconds"})]
PartitionName = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,31}$")]


class NodePartition(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nodes that are asked for by one name."""

    name: Annotated[PartitionName, Meta(description="Its name.", examples=["gpu"])]
    node_classes: Annotated[
        tuple[Text, ...], Meta(description="Classes of compute nodes in it; none: all.")
    ] = ()
    default: Annotated[bool, Meta(description="Whether work that names no partition goes here.")] = False
    time_limit_s: Annotated[TimeLimit | None, Meta(description="Longest run time; null: no limit.")] = None


class Switch(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A switch of the compute fabric, with what hangs on it."""

    name: Annotated[PartitionName, Meta(description="Its name.", examples=["leaf1"])]
    nodes: Annotated[Text | None, Meta(description="Nodes on it, as a node set; null: none.")] = None
    switches: Annotated[Text | None, Meta(description="Switches below it, as a node set; null: none.")] = None

    def faults(self) -> Iterator[Fault]:
        """Yield a switch with both or neither, and a set that cannot be read."""
        if (self.nodes is None) == (self.switches is None):
            found = "neither `nodes` nor `switches`" if self.nodes is None else "both `nodes` and `switches`"
            yield Fault(path=(), found=found, expected="one of them")
        for name, text in (("nodes", self.nodes), ("switches", self.switches)):
            try:
                expand(text or "")
            except UsageError as error:
                yield Fault(path=(name,), found=error.found, expected=error.expected, hint=error.hint)

    def switch_names(self) -> tuple[str, ...]:
        """List the switches below it."""
        return expand(self.switches or "")


class Scheduler(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What distributes the work."""

    engine: Annotated[Literal["local", "slurm"], Meta(description="Which engine.")] = "slurm"
    controller: Annotated[Text | None, Meta(description="Node it runs on; null: the first head node.")] = None
    version: Annotated[Text | None, Meta(description="Wanted version; null: the distribution's.")] = None
    accounting: Annotated[
        bool, Meta(description="Whether what ran is kept in a database (slurmdbd and MariaDB).")
    ] = True
    partitions: Annotated[
        tuple[NodePartition, ...],
        Meta(description="Partitions; none: one called `main` with all compute nodes."),
    ] = ()
    confinement: Annotated[
        Literal["auto", "cgroup", "none"],
        Meta(
            description="How processes are held to what they asked for; `auto`: cgroups where nodes have them."
        ),
    ] = "auto"
    slurm_uid: Annotated[Uid, Meta(description="Number of the account `slurm` on every node.")] = 64030
    munge_uid: Annotated[Uid, Meta(description="Number of the account `munge` on every node.")] = 64031
    switches: Annotated[
        tuple[Switch, ...],
        Meta(
            description="Switches of the compute fabric; work is placed below few of them. None: not considered."
        ),
    ] = ()
    switches_from: Annotated[
        Literal["document", "lldp", "ibnetdiscover"],
        Meta(
            description="Who says which switches there are: `switches`, or what nodes hear by LLDP, or the map of the"
            " InfiniBand fabric that one node tells."
        ),
    ] = "document"
    settings: Annotated[
        dict[Text, str], Meta(description="More lines of slurm.conf, by their key; they win over ours.")
    ] = field(default_factory=dict)

    def faults(self) -> Iterator[Fault]:
        """Yield partitions and switches named twice, unknown switches or two sources of them, a second default."""
        yield from repeated("partitions", "name", [partition.name for partition in self.partitions])
        yield from repeated("switches", "name", [switch.name for switch in self.switches])
        yield from self._unknown_switches()
        if self.switches and self.switches_from != "document":
            yield Fault(
                path=("switches_from",),
                found=f"`{self.switches_from}` beside `switches`",
                expected="one of the two",
                hint="without `switches_from`, `ogai cluster diff` compares what is written with what is found",
            )
        defaults = [index for index, partition in enumerate(self.partitions) if partition.default]
        for index in defaults[1:]:
            yield Fault(
                path=("partitions", index, "default"),
                found=f"a second default beside partitions[{defaults[0]}]",
                expected="at most one default partition",
            )

    def _unknown_switches(self) -> Iterator[Fault]:
        known = [switch.name for switch in self.switches]
        for index, switch in enumerate(self.switches):
            try:
                below = switch.switch_names()
            except UsageError:
                continue  # the switch itself says so
            for name in below:
                yield from unknown(("switches", index, "switches"), name, known, what="a switch of this list")

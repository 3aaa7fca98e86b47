"""What distributes the work over the nodes."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, field

from l0_infra.core.documents import Part, Text, repeated
from l0_infra.core.errors import Fault

__all__ = ["NodePartition", "Scheduler"]

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
    settings: Annotated[
        dict[Text, str], Meta(description="More lines of slurm.conf, by their key; they win over ours.")
    ] = field(default_factory=dict)

    def faults(self) -> Iterator[Fault]:
        """Yield partitions named twice, and more than one default."""
        yield from repeated("partitions", "name", [partition.name for partition in self.partitions])
        defaults = [index for index, partition in enumerate(self.partitions) if partition.default]
        for index in defaults[1:]:
            yield Fault(
                path=("partitions", index, "default"),
                found=f"a second default beside partitions[{defaults[0]}]",
                expected="at most one default partition",
            )

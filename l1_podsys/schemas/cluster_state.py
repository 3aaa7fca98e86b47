"""What was observed of a cluster: its nodes, what they offer, how the scheduler is reached."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Document, Part, Text

__all__ = ["AcceleratorState", "ClusterState", "NodeState", "SchedulerAccess"]


class AcceleratorState(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One accelerator of one node."""

    id: Annotated[Text, Meta(description="Name within the node, `vendor:index`, e.g. `nvidia:0`.")]
    model: Annotated[str, Meta(description="Product name as the vendor's tool prints it.")] = ""
    memory_bytes: Annotated[Bytes | None, Meta(description="Device memory; null when unknown.")] = None
    busy: Annotated[str | None, Meta(description="Who uses it outside this queue; null when free.")] = None


class NodeState(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one node offers to jobs, and how much of it others already hold."""

    name: Annotated[Text, Meta(description="Node name.")]
    node_class: Annotated[str, Meta(description="Class of equal nodes this one belongs to.")] = "default"
    state: Annotated[
        Literal["idle", "drained", "down", "unknown"],
        Meta(description="Whether jobs may start here; only `idle` takes jobs."),
    ] = "idle"
    state_reason: Annotated[str, Meta(description="Why it takes no jobs.")] = ""
    cpus: Annotated[int, Meta(ge=0, description="Logical CPUs offered to jobs.")]
    memory_bytes: Annotated[Bytes, Meta(description="Memory offered to jobs.")]
    accelerators: Annotated[
        tuple[AcceleratorState, ...], Meta(description="Accelerators offered to jobs.")
    ] = ()
    foreign_cpus: Annotated[int, Meta(ge=0, description="CPUs held by other users' queues.")] = 0
    foreign_memory_bytes: Annotated[Bytes, Meta(description="Memory held by other users' queues.")] = 0


class SchedulerAccess(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the scheduler of this cluster is reached."""

    engine: Annotated[Literal["local", "slurm"], Meta(description="Which engine runs the jobs.")]
    host: Annotated[str, Meta(description="Host where its commands are run; empty for this machine.")] = ""


class ClusterState(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="cluster_state"):
    """What was observed of a cluster."""

    name: Annotated[Text, Meta(description="Cluster name.")]
    nodes: Annotated[tuple[NodeState, ...], Meta(description="Nodes, in natural order of their names.")]
    scheduler: Annotated[SchedulerAccess, Meta(description="How jobs are submitted.")] = SchedulerAccess(
        engine="local"
    )

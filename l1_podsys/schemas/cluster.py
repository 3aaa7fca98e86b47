"""A cluster as a person wishes it: its nodes, networks, scheduler, storage, users and gates."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Document, below, repeated
from l0_infra.core.errors import Fault
from l0_infra.schemas import Packages, Time, Tuning
from l1_podsys.schemas.access import Ssh, User
from l1_podsys.schemas.agreement import disagreements
from l1_podsys.schemas.network import Network, overlaps
from l1_podsys.schemas.node_group import NodeGroup, repeated_nodes
from l1_podsys.schemas.scheduler import Scheduler
from l1_podsys.schemas.settings import Gates, Monitoring, Runtime
from l1_podsys.schemas.storage import Storage

__all__ = ["Cluster"]


class Cluster(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="cluster"):
    """A cluster as wished."""

    name: Annotated[
        str, Meta(pattern=r"^[a-z][a-z0-9-]{0,39}$", description="Cluster name.", examples=["pod1"])
    ]
    nodes: Annotated[tuple[NodeGroup, ...], Meta(min_length=1, description="Nodes, in groups of like ones.")]
    ssh: Annotated[Ssh, Meta(description="How the nodes are reached.")] = Ssh()
    networks: Annotated[tuple[Network, ...], Meta(description="Networks.")] = ()
    scheduler: Annotated[Scheduler, Meta(description="What runs the jobs.")] = Scheduler()
    storage: Annotated[tuple[Storage, ...], Meta(description="Shared file systems.")] = ()
    users: Annotated[tuple[User, ...], Meta(description="Accounts.")] = ()
    time: Annotated[Time, Meta(description="Clock.")] = Time()
    tuning: Annotated[Tuning, Meta(description="Kernel and limits.")] = Tuning()
    packages: Annotated[Packages, Meta(description="Where software comes from.")] = Packages()
    runtime: Annotated[Runtime, Meta(description="What work on the nodes finds installed.")] = Runtime()
    monitoring: Annotated[Monitoring, Meta(description="Figures over time.")] = Monitoring()
    gates: Annotated[Gates, Meta(description="When bring-up counts as done.")] = Gates()

    def faults(self) -> Iterator[Fault]:
        """Yield what only the whole shows: repetitions, no head, unknown references, overlaps."""
        yield from below(("nodes",), repeated_nodes(self.nodes))
        yield from below(("networks",), overlaps(self.networks))
        if not any("head" in group.roles for group in self.nodes):
            hint = "add `roles: [head]` to the group of the node that leads"
            yield Fault(
                path=("nodes",), found="no head node", expected="one group with the role `head`", hint=hint
            )
        yield from disagreements(self)
        yield from repeated("users", "name", [user.name for user in self.users])
        yield from repeated("users", "uid", [user.uid for user in self.users])
        yield from repeated("storage", "mountpoint", [storage.mountpoint for storage in self.storage])

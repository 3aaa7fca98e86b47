"""A cluster as a person wishes it: its nodes, networks, scheduler, storage, users and gates."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Document, Part, Text, below, repeated, unknown
from l0_infra.core.errors import Fault
from l1_podsys.schemas.network import Network, overlaps
from l1_podsys.schemas.node_group import NodeGroup, repeated_nodes

__all__ = ["Cluster", "Gates", "Scheduler", "Ssh", "Storage", "Time", "User"]

UserName = Annotated[str, Meta(pattern=r"^[a-z_][a-z0-9_-]{0,31}$")]
Path = Annotated[str, Meta(pattern=r"^/")]


class Ssh(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the nodes are reached; what is null is left to ~/.ssh/config."""

    user: Annotated[UserName | None, Meta(description="Who logs in.")] = None
    port: Annotated[Annotated[int, Meta(ge=1, le=65535)] | None, Meta(description="Port.")] = None
    identity_file: Annotated[str | None, Meta(description="Private key file on this machine.")] = None
    proxy_jump: Annotated[str | None, Meta(description="Host to go through, `user@host:port`.")] = None
    sudo: Annotated[bool, Meta(description="Whether root is reached by sudo.")] = True


class Scheduler(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What runs the jobs."""

    engine: Annotated[Literal["local", "slurm"], Meta(description="Which engine.")] = "slurm"
    controller: Annotated[Text | None, Meta(description="Node it runs on; null: the first head node.")] = None
    version: Annotated[Text | None, Meta(description="Wanted version; null: the distribution's.")] = None


class Storage(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file system all nodes share."""

    mountpoint: Annotated[Path, Meta(description="Where it is mounted on every node.")]
    filesystem: Annotated[
        Literal["nfs", "lustre", "beegfs", "ceph", "gpfs"], Meta(description="Type of file system.")
    ] = "nfs"
    server_node: Annotated[Text | None, Meta(description="Node of this cluster that serves it.")] = None
    source: Annotated[Text, Meta(description="What is mounted: the path on that node, else `host:/path`.")]


class User(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person with an account on every node."""

    name: Annotated[UserName, Meta(description="Login name.")]
    uid: Annotated[int, Meta(ge=1000, le=2**31 - 1, description="Number, equal on every node.")]
    public_keys: Annotated[tuple[Text, ...], Meta(description="Public ssh keys that may log in.")] = ()
    sudo: Annotated[bool, Meta(description="Whether the person may become root.")] = False


class Time(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The clock all nodes share."""

    zone: Annotated[Text, Meta(description="Time zone.")] = "UTC"
    servers: Annotated[tuple[Text, ...], Meta(description="NTP servers; none: the distribution's.")] = ()


class Gates(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When bring-up counts as done."""

    level: Annotated[
        Literal["quick", "medium", "burn-in"], Meta(description="How deep the nodes are checked.")
    ] = "quick"
    healthy_share: Annotated[
        float, Meta(gt=0, le=1, description="Share of compute nodes that must be healthy.")
    ] = 1.0


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
        yield from self._unknown_nodes()
        yield from repeated("users", "name", [user.name for user in self.users])
        yield from repeated("users", "uid", [user.uid for user in self.users])
        yield from repeated("storage", "mountpoint", [storage.mountpoint for storage in self.storage])

    def _unknown_nodes(self) -> Iterator[Fault]:
        names = [node.name for group in self.nodes for node in group.listed()]
        wanted = [
            (("storage", index, "server_node"), one.server_node) for index, one in enumerate(self.storage)
        ]
        for path, name in [(("scheduler", "controller"), self.scheduler.controller), *wanted]:
            if name is not None:
                yield from unknown(path, name, names, what="a node of this cluster")

"""A file system all nodes share."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Part, Text
from l0_infra.core.errors import Fault

__all__ = ["Storage"]


class Storage(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One shared file system; the first of a cluster carries home folders and what ogai installs."""

    mountpoint: Annotated[str, Meta(pattern=r"^/", description="Where it is found on every node.")]
    filesystem: Annotated[
        Literal["nfs", "lustre", "beegfs", "ceph", "gpfs", "existing"],
        Meta(description="Type of file system; `existing`: others mount it, we only look that it is shared."),
    ] = "nfs"
    server_node: Annotated[Text | None, Meta(description="Node of this cluster that serves it.")] = None
    source: Annotated[
        Text | None,
        Meta(description="What is mounted: the path on that node, else `host:/path`; null for `existing`."),
    ] = None
    options: Annotated[tuple[Text, ...], Meta(description="Mount options; none: the usual ones.")] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield a missing source, and what an existing file system cannot have."""
        if self.filesystem == "existing":
            for name in ("server_node", "source"):
                if getattr(self, name) is not None:
                    yield Fault(
                        path=(name,), found=f"`{getattr(self, name)}`", expected="null for `existing`"
                    )
        elif self.source is None:
            yield Fault(
                path=("source",),
                found="nothing",
                expected=f"what is mounted at {self.mountpoint}",
                hint="a path that is mounted already is `filesystem: existing`",
            )

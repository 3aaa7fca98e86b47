"""A file system all nodes share."""

from collections.abc import Iterator
from posixpath import normpath
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Part, Text
from l0_infra.core.errors import Fault

__all__ = ["Storage"]

NOT_SHARED = (
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var/lib",
)
"""Where nothing may be mounted for all nodes."""


class Storage(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One shared file system; the first of a cluster carries home folders and what ogai installs."""

    mountpoint: Annotated[
        str,
        Meta(
            pattern=r"^/",
            description="Where it is found on every node.",
            extra_json_schema={"x-words": "a path that begins with `/`"},
        ),
    ]
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
        """Yield a mountpoint that would hide the system, a missing source, and what an existing one cannot have."""
        if fault := _mountpoint_fault(self.mountpoint):
            yield fault
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
        elif self.server_node is not None and not self.source.startswith("/"):
            yield Fault(
                path=("source",), found=f"`{self.source}`", expected=f"an absolute path on {self.server_node}"
            )
        elif self.server_node is None and self.filesystem == "nfs" and ":/" not in self.source:
            hint = "if a node of this cluster serves it, name that node as `server_node`"
            yield Fault(path=("source",), found=f"`{self.source}`", expected="`host:/path`", hint=hint)


def _mountpoint_fault(path: str) -> Fault | None:
    """Say what is wrong with a mountpoint: written in two ways, or in the way of the system; None when nothing is."""
    plain = normpath(path)
    if plain in NOT_SHARED or any(plain.startswith(f"{one}/") for one in NOT_SHARED[1:]):
        return Fault(
            path=("mountpoint",),
            found=f"`{path}`, which the system of each node needs for itself",
            expected="a folder of its own: `/shared`",
        )
    if plain != path:
        return Fault(path=("mountpoint",), found=f"`{path}`", expected=f"`{plain}`")
    return None

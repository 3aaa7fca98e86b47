"""The manifest of a checkpoint, written last: what has no sound one is no checkpoint."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Document, Name, Positive, Sha256, Time
from l0_infra.core.errors import Fault
from l3_modeltools.schemas.hashed_file import HashedFile, manifest_faults

__all__ = ["Checkpoint"]

FILES = [{"name": ".metadata", "size_bytes": 4096, "sha256": "0" * 64}]
"""The fewest a checkpoint has, for examples."""


class Checkpoint(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="checkpoint"):
    """The manifest of a checkpoint: whose it is, from which step, and every file by its content."""

    run: Annotated[Name, Meta(description="Id of the run it belongs to.")]
    architecture_sha256: Annotated[
        Sha256, Meta(description="SHA-256 of the architecture document, to know another model's.")
    ]
    step: Annotated[Count, Meta(description="Optimizer steps done.")]
    tokens: Annotated[Count, Meta(description="Tokens trained on.")]
    world_size: Annotated[Positive, Meta(description="Ranks that wrote it; any number may read it.")]
    saved_at: Annotated[Time, Meta(description="When its state was taken, in seconds since the epoch, UTC.")]
    storage: Annotated[
        Literal["dcp", "safetensors"],
        Meta(description="`dcp`: torch.distributed.checkpoint, all state; `safetensors`: weights alone."),
    ] = "dcp"
    files: Annotated[tuple[HashedFile, ...], Meta(min_length=1, description="Every file.", examples=[FILES])]

    def faults(self) -> Iterator[Fault]:
        """Yield files listed twice, gaps in numbered sets, and a distributed checkpoint without its index."""
        yield from manifest_faults("files", self.files)
        names = {file.name for file in self.files}
        if self.storage == "dcp" and ".metadata" not in names:
            yield Fault(path=("files",), found="no `.metadata`", expected="the index that `dcp` writes last")

"""An entry of the registry: a model by the content of its files, with where it comes from."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Document, Name, Part, Positive, Sha256, Text
from l0_infra.core.errors import Fault
from l3_modeltools.schemas import Architecture, HashedFile, manifest_faults
from l4_multimodel.schemas.model_ref import ModelRef

__all__ = ["Lineage", "Model", "Signature"]

PICKLED = (".bin", ".ckpt", ".pickle", ".pkl", ".pt", ".pth")
"""Endings of files that run code when they are loaded."""


class Lineage(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a model comes from; what is not known is left out."""

    run: Annotated[Name | None, Meta(description="Id of the run that trained it.")] = None
    step: Annotated[Count | None, Meta(description="Step of the checkpoint it was made from.")] = None
    base: Annotated[tuple[ModelRef, ...], Meta(description="Models it started from.")] = ()
    datasets: Annotated[tuple[Sha256, ...], Meta(description="SHA-256 of its data sets' manifests.")] = ()

    def faults(self) -> Iterator[Fault]:
        """Yield a step of no run."""
        if self.step is not None and self.run is None:
            yield Fault(path=("step",), found="a step without a run", expected="the `run` beside it")


class Signature(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who vouches for the files."""

    key: Annotated[Text, Meta(description="Public key, as ssh writes it: `ssh-ed25519 …`.")]
    value: Annotated[Text, Meta(description="Signature of the names and hashes of all files, in base64.")]


class Model(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="model"):
    """An entry of the registry: a name and version for files that never change."""

    name: Annotated[Name, Meta(description="Name.")]
    number: Annotated[
        Positive | None, Meta(description="Version, counted by the registry; null: the next one.")
    ] = None
    format: Annotated[
        Literal["safetensors", "gguf", "adapter"],
        Meta(description="What the files are; `adapter`: small matrices for the model it started from."),
    ] = "safetensors"
    architecture: Annotated[
        Architecture | None, Meta(description="What it is made of; null: its config.json says.")
    ] = None
    licence: Annotated[Text | None, Meta(description="SPDX id of its licence; null: unknown.")] = None
    files: Annotated[tuple[HashedFile, ...], Meta(min_length=1, description="Every file, by its content.")]
    lineage: Annotated[Lineage, Meta(description="Where it comes from.")] = Lineage()
    signature: Annotated[Signature | None, Meta(description="Who vouches for it; null: nobody.")] = None

    def faults(self) -> Iterator[Fault]:
        """Yield pickles, files listed twice, missing shards, and an adapter to nothing."""
        yield from manifest_faults("files", self.files)
        for index, file in enumerate(self.files):
            if file.name.lower().endswith(PICKLED):
                expected = "a format that runs no code when loaded, such as safetensors"
                yield Fault(
                    path=("files", index, "name"), found=f"`{file.name}`, a pickle", expected=expected
                )
        if self.format == "adapter" and not self.lineage.base:
            expected = "the model it adapts in `lineage.base`"
            yield Fault(path=("format",), found="`adapter` without a base", expected=expected)

"""The model that a training begins with."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Name, Part, Positive, Text
from l0_infra.core.errors import Fault
from l3_modeltools.schemas.architecture import Architecture

__all__ = ["ConfigFile", "Lora", "Preset", "TrainedModel"]


class Preset(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="preset"):
    """An architecture that ogai brings."""

    name: Annotated[Name, Meta(description="Name of the preset: `tiny-llama`.")]


class ConfigFile(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="config"):
    """An architecture as Hugging Face writes it."""

    path: Annotated[Text, Meta(description="A config.json, or a directory that holds one.")]


class Lora(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Train small matrices beside frozen weights (arXiv:2106.09685); the words are peft's."""

    r: Annotated[Positive, Meta(description="Rank.")] = 16
    lora_alpha: Annotated[Positive, Meta(description="Scale of the update, over the rank.")] = 32
    target_modules: Annotated[tuple[Text, ...], Meta(description="Modules; none: peft's for the model.")] = ()


class TrainedModel(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model that is trained."""

    architecture: Annotated[
        Preset | ConfigFile | Architecture | None,
        Meta(description="What it is made of; null: what `init_from` says."),
    ] = None
    init_from: Annotated[
        Text | None, Meta(description="Hugging Face directory with its first weights; null: random.")
    ] = None
    lora: Annotated[Lora | None, Meta(description="Train an adapter; null: all weights.")] = None

    def faults(self) -> Iterator[Fault]:
        """Yield a model that is nothing, and an adapter beside random weights."""
        if self.architecture is None and self.init_from is None:
            yield Fault(path=(), found="neither architecture nor init_from", expected="at least one of them")
        if self.lora and self.init_from is None:
            yield Fault(path=("lora",), found="an adapter to random weights", expected="init_from beside it")

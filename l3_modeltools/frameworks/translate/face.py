"""What a translation gives back: the framework's configuration or our strategy, and all that did not carry over."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from l3_modeltools.schemas import Architecture, Practice, Strategy

__all__ = ["Exported", "Imported", "Loss"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Loss:
    """One thing that the other side cannot say."""

    path: str
    """Where it stands: a field of the strategy, or of the framework's configuration."""
    lost: str
    """What is not carried over."""
    instead: str
    """What is done in its place."""
    where: str = ""
    """`file:line:column`, or which argument; empty for a field of the strategy."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exported:
    """A strategy in a framework's words: files by name, or arguments of its training program."""

    framework: str
    ranks: int
    """Ranks the framework must be started with: not every configuration says it."""
    files: Mapping[str, str] = field(default_factory=dict)
    argv: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """A framework's configuration as a strategy."""

    framework: str
    strategy: Strategy
    practice: Practice
    layers: int | None
    """Layers of the model, those for multi-token prediction included; None: the configuration does not say."""
    sequence_length: int | None
    global_batch_size: int | None
    architecture: Architecture | None
    losses: tuple[Loss, ...]
    """What the configuration says of the cut and a strategy cannot."""
    unknown: tuple[str, ...]
    """Fields that were not read: they say nothing of the cut, or are not known here."""

"""What a dry run tells: bytes by purpose, operators, arithmetic and traffic of one rank of each pipeline stage."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal

__all__ = ["DryRun", "OperatorCount", "Purpose", "StageRun", "TensorBytes", "Traffic"]

Purpose = Literal["weights", "gradients", "optimizer", "activations", "logits", "communication", "other"]
"""What a tensor is for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TensorBytes:
    """Bytes of tensors by what they are for; differences may be negative."""

    weights: int = 0
    gradients: int = 0
    """Sums of gradients; those on their way to them are `other`."""
    optimizer: int = 0
    """fp32 weights beside 16-bit ones, and Adam's moments."""
    activations: int = 0
    """What outlives a forward pass, or one computed again, to be read by the backward pass."""
    logits: int = 0
    """Logits and all that the loss makes of them."""
    communication: int = 0
    """What is gathered, or is on its way to be scattered, and is not kept."""
    other: int = 0
    """What comes and goes within a pass, inputs, tables of rotations."""

    @property
    def total(self) -> int:
        """All of it."""
        return sum(size for _, size in self.named())

    def named(self) -> tuple[tuple[Purpose, int], ...]:
        """Every purpose with its bytes, in the order of the declaration."""
        return tuple((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[misc]

    def __add__(self, other: "TensorBytes") -> "TensorBytes":
        return TensorBytes(**dict(self._pairs(other, 1)))

    def __sub__(self, other: "TensorBytes") -> "TensorBytes":
        return TensorBytes(**dict(self._pairs(other, -1)))

    def _pairs(self, other: "TensorBytes", sign: int) -> Iterator[tuple[str, int]]:
        for name, size in self.named():
            yield name, size + sign * getattr(other, name)


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatorCount:
    """How often an operator runs in a step on one rank."""

    name: str
    calls: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Traffic:
    """What one rank exchanges in a step with a group: calls, and bytes of the whole messages.

    A message is what all_gather gives, what reduce_scatter, all_reduce and all_to_all take, or what is sent or
    received. How much of it goes over a link follows from the algorithm: of n ranks a ring carries (n - 1) / n of it,
    of all_reduce twice that.
    """

    kind: str
    group: str
    ranks: int
    calls: int
    bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class StageRun:
    """A step of one rank of a pipeline stage."""

    stage: int
    layers: int
    in_flight: float
    """Micro batches kept at once, at most; a fraction where some virtual stages keep one and others do not."""
    peak: TensorBytes
    """At the fullest moment."""
    moment: str
    """What was done at that moment."""
    operators: tuple[OperatorCount, ...]
    """The most frequent first."""
    flops: int
    """Of matrix products and attention, what is computed again included; of causal scores the half that is needed."""
    traffic: tuple[Traffic, ...]

    @property
    def operator_calls(self) -> int:
        """All calls of operators."""
        return sum(one.calls for one in self.operators)


@dataclass(frozen=True, kw_only=True, slots=True)
class DryRun:
    """A step of each pipeline stage; stages with the same layers and ends were built once."""

    engine: Literal["torch", "trainer"]
    world_size: int
    microbatches: int
    """Of one copy in a step."""
    stages: tuple[StageRun, ...]

    @property
    def fullest(self) -> StageRun:
        """The stage that needs most, the first of several."""
        return max(self.stages, key=lambda stage: stage.peak.total)

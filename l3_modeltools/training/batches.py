"""A stand-in for `data.Batch` and `data.PairBatch` until those are merged."""

from dataclasses import dataclass

from torch import Tensor

__all__ = ["Batch", "PairBatch"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Rows of tokens."""

    input_ids: Tensor
    labels: Tensor
    position_ids: Tensor | None = None
    segments: Tensor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PairBatch:
    """Rows of chosen and rejected tokens."""

    chosen: Batch
    rejected: Batch

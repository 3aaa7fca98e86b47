"""What one forward pass takes: token ids, what follows each of them, and where documents begin."""

from dataclasses import dataclass

import torch

__all__ = ["IGNORED", "Batch", "PairBatch", "document_mask"]

IGNORED = -100
"""The label of a place that does not count in the loss."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Rows of equal length; every tensor is int64 (rows, length).

    `labels` are shifted already: labels[r, i] is the token after input_ids[r, i], or IGNORED. `position_ids` count
    from 0 in each document and `segments` number the documents of a row, where documents do not see each other;
    else both are None. `padding` places only fill short rows.
    """

    input_ids: torch.Tensor
    labels: torch.Tensor
    position_ids: torch.Tensor | None = None
    segments: torch.Tensor | None = None
    padding: int = 0

    @property
    def tokens(self) -> int:
        """How many tokens go in, without padding."""
        return self.input_ids.numel() - self.padding

    def to(self, device: torch.device) -> "Batch":
        """Return the batch on another device."""
        return Batch(
            input_ids=self.input_ids.to(device, non_blocking=True),
            labels=self.labels.to(device, non_blocking=True),
            position_ids=moved(self.position_ids, device),
            segments=moved(self.segments, device),
            padding=self.padding,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class PairBatch:
    """Pairs of answers to the same prompts: row r of both belongs together."""

    chosen: Batch
    rejected: Batch

    @property
    def tokens(self) -> int:
        """How many tokens go in, of both sides, without padding."""
        return self.chosen.tokens + self.rejected.tokens

    def to(self, device: torch.device) -> "PairBatch":
        """Return the batch on another device."""
        return PairBatch(chosen=self.chosen.to(device), rejected=self.rejected.to(device))


def moved(tensor: torch.Tensor | None, device: torch.device) -> torch.Tensor | None:
    """Move what is there."""
    return None if tensor is None else tensor.to(device, non_blocking=True)


def document_mask(segments: torch.Tensor) -> torch.Tensor:
    """Return who sees whom, bool (rows, 1, length, length): a token sees itself and those before it in its document.

    `segments` are a batch's, (rows, length).
    """
    same = segments.unsqueeze(2) == segments.unsqueeze(1)
    return same.tril().unsqueeze(1)

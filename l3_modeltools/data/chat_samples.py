"""Chats become rows, one each, that learn where an answer is; pairs become two such batches."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch

from l3_modeltools.data.batch import IGNORED, Batch, PairBatch
from l3_modeltools.data.dataset import Split

__all__ = ["ChatSamples", "PairSamples"]

MULTIPLE = 8
"""Rows are padded to a multiple of this, as matrix units like it."""


class ChatSamples:
    """Sample k of a split is its document k, cut to the sequence length."""

    def __init__(self, length: int, *, loss_on: Literal["assistant", "all"]) -> None:
        self._length = length
        self._loss_on = loss_on

    def count(self, split: Split) -> int:
        """Return how many samples a split has."""
        return split.documents

    def batch(self, rows: Sequence[tuple[Split, int]], end_of_document: int) -> Batch:
        """Read samples, one a row, (rows, the longest of them up to a multiple of 8, at most the sequence length)."""
        longest = max((split.document(sample).size - 1 for split, sample in rows), default=0)
        width = min(self._length, -(-max(longest, 1) // MULTIPLE) * MULTIPLE)
        input_ids = np.full((len(rows), width), end_of_document, dtype=np.int64)
        labels = np.full((len(rows), width), IGNORED, dtype=np.int64)
        for row, (split, sample) in enumerate(rows):
            tokens = split.document(sample)[: width + 1].astype(np.int64)
            after = tokens[1:]
            input_ids[row, : after.size] = tokens[:-1]
            learnt = self._learnt(split, sample)[1 : width + 1]
            labels[row, : after.size] = np.where(learnt, after, IGNORED)
        return Batch(input_ids=torch.from_numpy(input_ids), labels=torch.from_numpy(labels))

    def _learnt(self, split: Split, sample: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        if self._loss_on == "all":
            return np.ones(split.document(sample).size, dtype=np.bool_)
        return split.mask(sample).astype(np.bool_)


class PairSamples:
    """Sample k of a split is its documents 2k, the answer chosen, and 2k + 1, the one rejected."""

    def __init__(self, length: int) -> None:
        self._side = ChatSamples(length, loss_on="assistant")

    def count(self, split: Split) -> int:
        """Return how many samples a split has."""
        return split.documents // 2

    def batch(self, rows: Sequence[tuple[Split, int]], end_of_document: int) -> PairBatch:
        """Read pairs, one a row."""
        return PairBatch(
            chosen=self._side.batch([(split, 2 * sample) for split, sample in rows], end_of_document),
            rejected=self._side.batch([(split, 2 * sample + 1) for split, sample in rows], end_of_document),
        )

"""Text is cut into samples of equal length, across documents."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from l3_modeltools.data.batch import Batch
from l3_modeltools.data.dataset import Split

__all__ = ["TextSamples", "document_places"]

Integers = npt.NDArray[np.int64]


class TextSamples:
    """Sample k of a split is its tokens k·S … k·S + S, whose last one is only predicted; a rest below S is left."""

    def __init__(self, length: int, *, respect_documents: bool) -> None:
        self._length = length
        self._respect_documents = respect_documents

    def count(self, split: Split) -> int:
        """Return how many samples a split has."""
        return max(0, split.tokens - 1) // self._length

    def batch(self, rows: Sequence[tuple[Split, int]], end_of_document: int) -> Batch:
        """Read samples, one a row, (rows, S)."""
        tokens = np.empty((len(rows), self._length + 1), dtype=np.int64)
        for target, (split, sample) in zip(tokens, rows, strict=True):
            split.read_into(target, sample * self._length)
        whole = torch.from_numpy(tokens)
        if not self._respect_documents:
            return Batch(input_ids=whole[:, :-1], labels=whole[:, 1:])
        positions, segments = document_places(tokens[:, :-1], end_of_document)
        return Batch(
            input_ids=whole[:, :-1],
            labels=whole[:, 1:],
            position_ids=torch.from_numpy(positions),
            segments=torch.from_numpy(segments),
        )


def document_places(tokens: Integers, end_of_document: int) -> tuple[Integers, Integers]:
    """Return each token's position in its document, and its document's number in the row; (rows, length) like `tokens`.

    A document begins after each end of document; what a row begins with counts as a document that begins there.
    """
    begins = np.zeros_like(tokens)
    begins[:, 1:] = tokens[:, :-1] == end_of_document
    places = np.arange(tokens.shape[1])
    return places - np.maximum.accumulate(begins * places, axis=1), np.cumsum(begins, axis=1)

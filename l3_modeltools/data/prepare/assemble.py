"""The tokens of all parts become the shards of each split, in the order of the corpus."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from l3_modeltools.data.dataset import SplitName
from l3_modeltools.data.indexed import IndexedFiles, IndexedWriter, TokenDtype, Tokens
from l3_modeltools.data.prepare.documents import Documents
from l3_modeltools.data.prepare.split import is_held_out
from l3_modeltools.data.prepare.verdicts import DocumentVerdict
from l3_modeltools.data.prepare.workplace import Workplace
from l3_modeltools.schemas import Corpus, DataShard

__all__ = ["assemble_split", "entropy_nats", "stored_documents"]

DOCUMENTS_OF = {"text": 1, "chat": 1, "preference": 2}
"""Documents that are stored for one that was read: of a pair, both sides."""

DOCUMENTS_AT_ONCE = 2**12
TOKENS_AT_ONCE = 2**20
"""Tokens that are held at once, unless one document has more."""


def stored_documents(
    place: Workplace, firsts: Sequence[int], dtype: TokenDtype, split: SplitName, corpus: Corpus
) -> Iterator[Documents]:
    """Yield the documents of one split from all parts, some at a time; nothing marks a part's end but the order."""
    for part, first in enumerate(firsts[:-1]):
        rows = place.load_rows(part)
        kept = place.load_verdicts(first, len(rows)) == DocumentVerdict.KEPT
        held_out = np.repeat(is_held_out(rows, corpus.validation_share)[kept], DOCUMENTS_OF[corpus.format])
        chosen = held_out if split == "validation" else ~held_out
        start = 0
        for documents in _blocks(place, part, dtype):
            count = documents.lengths.size
            yield documents.only(chosen[start : start + count])
            start += count


def assemble_split(
    place: Workplace,
    split: SplitName,
    documents: Iterator[Documents],
    dtype: TokenDtype,
    shard_tokens: int,
    count: Callable[[Tokens], None],
) -> tuple[DataShard, ...]:
    """Write the shards of one split; a new one is begun once `shard_tokens` are in the last.

    `count` is told of all tokens written. Raises OSError.
    """
    shards: list[DataShard] = []
    waiting = next(documents, None)
    while waiting is not None:
        if not waiting.lengths.size:
            waiting = next(documents, None)
            continue
        stem = place.directory / f"{split}-{len(shards):05}"
        with IndexedWriter(stem, dtype, masked=waiting.mask is not None) as writer:
            while waiting is not None and writer.tokens < shard_tokens:
                ends = writer.tokens + np.cumsum(waiting.lengths, dtype=np.int64)
                now, rest = waiting.cut(int(np.searchsorted(ends, shard_tokens)) + 1)
                writer.add_batch(now.tokens, now.lengths, now.mask)
                count(now.tokens)
                waiting = rest if rest.lengths.size else next(documents, None)
            shards.append(_shard(split, writer.publish()))
    return tuple(shards)


def entropy_nats(counts: npt.NDArray[np.int64]) -> float:
    """Return the entropy of the distribution that `counts` describe (Shannon 1948, section 6), in nats."""
    total = int(counts.sum())
    shares = counts[counts > 0] / max(1, total)
    return max(0.0, -math.fsum(shares * np.log(shares)))


def _blocks(place: Workplace, part: int, dtype: TokenDtype) -> Iterator[Documents]:
    lengths = np.fromfile(place.lengths(part), dtype="<i4")
    has_mask = place.mask(part).stat().st_size > 0
    start, offset = 0, 0
    ends = np.cumsum(lengths, dtype=np.int64)
    while start < lengths.size:
        fitting = int(np.searchsorted(ends, offset + TOKENS_AT_ONCE, side="right"))
        stop = max(start + 1, min(fitting, start + DOCUMENTS_AT_ONCE))
        tokens = int(ends[stop - 1]) - offset
        mask = (
            np.fromfile(place.mask(part), dtype=np.uint8, count=tokens, offset=offset) if has_mask else None
        )
        size = np.dtype(dtype).itemsize
        stored = np.fromfile(place.tokens(part), dtype=dtype, count=tokens, offset=offset * size)
        yield Documents(tokens=stored, lengths=lengths[start:stop], mask=mask)
        start, offset = stop, offset + tokens


def _shard(split: SplitName, files: IndexedFiles) -> DataShard:
    return DataShard(
        split=split,
        documents=files.documents,
        tokens=files.tokens,
        bin=files.bin,
        idx=files.idx,
        mask=files.mask,
    )

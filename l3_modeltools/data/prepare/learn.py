"""The tokenizer of a data set is put in place: copied, or learnt from documents spread evenly over the corpus."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from l3_modeltools.data.prepare.duplicates import first_documents
from l3_modeltools.data.prepare.origin import Origin
from l3_modeltools.data.prepare.parts import WorkPart
from l3_modeltools.data.prepare.pieces import bounded
from l3_modeltools.data.prepare.read import Unreadable, words_of
from l3_modeltools.data.prepare.scan import read_part
from l3_modeltools.data.prepare.split import is_held_out, is_sampled
from l3_modeltools.data.prepare.tokenizer import copy_tokenizer, learn_tokenizer
from l3_modeltools.data.prepare.verdicts import DocumentVerdict
from l3_modeltools.data.prepare.workplace import Scanned, Workplace
from l3_modeltools.schemas import BytePairs

__all__ = ["place_tokenizer"]

CHARACTERS_AT_ONCE = 2**15
"""Text handed over at once: the library gathers hundreds of these before it looks at them."""


def place_tokenizer(
    origin: Origin, parts: Sequence[WorkPart], scanned: tuple[Scanned, ...], place: Workplace
) -> None:
    """Make the folder `tokenizer/`, whole or not at all. Raises UnsatisfiableError, DocumentError, OSError."""
    corpus, partial = origin.corpus, place.work / "tokenizer"
    shutil.rmtree(partial, ignore_errors=True)
    if isinstance(corpus.tokenizer, BytePairs):
        texts = _sample(origin, parts, scanned, place, corpus.tokenizer.sample_bytes)
        learn_tokenizer(texts, corpus.tokenizer, corpus.chat_template, partial)
    else:
        copy_tokenizer(Path(origin.tokenizer[0].name).parent, corpus, partial)
    partial.rename(place.tokenizer)


def _sample(
    origin: Origin,
    parts: Sequence[WorkPart],
    scanned: tuple[Scanned, ...],
    place: Workplace,
    sample_bytes: int,
) -> Iterator[str]:
    """Yield about `sample_bytes` of the kept training texts; which ones depends on each one's own hash."""
    share = sample_bytes / max(1, sum(part.size_bytes for part in scanned))
    for part, first in zip(parts, first_documents(scanned), strict=False):
        wanted = _wanted(origin, place, part.index, first, share)
        if not wanted.any():
            continue
        for content, is_wanted in zip(read_part(origin, part), wanted, strict=True):
            if is_wanted and not isinstance(content, Unreadable):
                yield from bounded(words_of(content), CHARACTERS_AT_ONCE)


def _wanted(origin: Origin, place: Workplace, part: int, first: int, share: float) -> npt.NDArray[np.bool_]:
    rows = place.load_rows(part)
    kept = place.load_verdicts(first, len(rows)) == DocumentVerdict.KEPT
    wanted: npt.NDArray[np.bool_] = (
        kept & ~is_held_out(rows, origin.corpus.validation_share) & is_sampled(rows, share)
    )
    return wanted

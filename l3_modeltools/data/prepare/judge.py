"""What would make a data set useless or impossible is refused, each with the number that says why."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.units import format_bytes, format_count
from l3_modeltools.data.prepare.verdicts import REASONS, DocumentVerdict
from l3_modeltools.schemas import Corpus, DataShard, DataSource, Dropped, Source, source_name

__all__ = ["describe_source", "judge_emptiness", "judge_room", "judge_splits"]

MOST_BYTES_A_TOKEN = 6
"""Taken for granted, not measured: more text than this for a token is rare, so that the disk needs hardly less."""


def describe_source(source: Source, counts: npt.NDArray[np.int64]) -> DataSource:
    """Say how many documents of a source were kept and dropped; `counts` has an entry for each verdict."""
    dropped = tuple(
        Dropped(reason=reason, documents=int(counts[verdict]))
        for verdict, reason in REASONS.items()
        if counts[verdict]
    )
    return DataSource(
        name=source_name(source),
        licence=source.licence,
        documents=int(counts[DocumentVerdict.KEPT]),
        dropped=dropped,
    )


def judge_emptiness(corpus: Corpus, sources: Sequence[DataSource]) -> None:
    """Raise UnsatisfiableError when no document is left, saying what took them."""
    if any(source.documents for source in sources):
        return
    reasons: dict[str, int] = {}
    for source in sources:
        for dropped in source.dropped:
            reasons[dropped.reason] = reasons.get(dropped.reason, 0) + dropped.documents
    told = ", ".join(f"{number} {reason.replace('_', ' ')}" for reason, number in reasons.items())
    raise UnsatisfiableError(
        f"corpus {corpus.name}",
        found=f"no document to keep ({told})" if told else "no document",
        expected="at least one",
        hint="look at `quality` and `licences` of the corpus" if told else "look at the files it names",
    )


def judge_splits(corpus: Corpus, shards: Sequence[DataShard]) -> str:
    """Return what to tell of an empty validation split. Raises UnsatisfiableError when nothing is left to train on."""
    splits = {shard.split for shard in shards}
    if "train" not in splits:
        raise UnsatisfiableError(
            f"corpus {corpus.name}",
            found=f"{format_count(sum(s.documents for s in shards), 'document')}, all held out",
            expected="one to train on",
            hint="add documents, or lower validation_share",
        )
    if corpus.validation_share and "validation" not in splits:
        return f"no document fell into the validation split (validation_share: {corpus.validation_share})"
    return ""


def judge_room(text_bytes: int, token_bytes: int, free_bytes: int, where: Path) -> None:
    """Raise UnsatisfiableError when `free_bytes` hardly hold the tokens still to be written.

    `text_bytes` is the text they are made of, counted twice where it is not encoded yet: before a data set is whole
    its tokens are there by part and in its shards. A token takes `token_bytes`.
    """
    needed = text_bytes // MOST_BYTES_A_TOKEN * token_bytes
    if free_bytes < needed:
        raise UnsatisfiableError(
            str(where),
            found=f"{format_bytes(free_bytes)} free",
            expected=f"at least {format_bytes(needed)} for the tokens that are still to be written",
            hint="free some space, or point OGAI_HOME at another disk; what was done so far stands",
        )

"""What a data set is made from, kept beside it, so that a second prepare knows what is the same and what changed."""

from collections.abc import Iterator, Sequence

import msgspec

from l0_infra.core.documents import Part
from l3_modeltools.schemas import Corpus, Source, source_name

__all__ = ["Input", "Origin", "describe_changes"]

REVISION = 1
"""Raised whenever the same inputs would become other files."""


class Input(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file that is read, as it was found; `pieces` are the bytes of what it can be cut into, in order."""

    name: str
    size_bytes: int
    modified_ns: int
    pieces: tuple[int, ...] = ()


class Origin(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything the files of a data set are a function of; `inputs` lists the files of each source in turn."""

    revision: int = REVISION
    corpus: Corpus
    inputs: tuple[tuple[Input, ...], ...]
    tokenizer: tuple[Input, ...] = ()


def describe_changes(before: Origin, after: Origin) -> Iterator[str]:
    """Yield what differs, a phrase each; nothing when both make the same data set."""
    if before.revision != after.revision:
        yield "how ogai prepares data"
    yield from _corpus_changes(before.corpus, after.corpus)
    sources = {source_name(source): files for source, files in _by_source(before)}
    for source, files in _by_source(after):
        yield from _file_changes(sources.get(source_name(source), ()), files)
    yield from _file_changes(before.tokenizer, after.tokenizer)


def _by_source(origin: Origin) -> Iterator[tuple[Source, Sequence[Input]]]:
    yield from zip(origin.corpus.sources, origin.inputs, strict=True)


def _corpus_changes(before: Corpus, after: Corpus) -> Iterator[str]:
    old, new = msgspec.to_builtins(before), msgspec.to_builtins(after)
    for field in new:
        if old[field] != new[field]:
            yield f"`{field}` was {_shown(old[field])}, is {_shown(new[field])}"


def _shown(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 80 else f"{text[:77]}…"


def _file_changes(before: Sequence[Input], after: Sequence[Input]) -> Iterator[str]:
    old, new = ({file.name: file for file in files} for files in (before, after))
    yield from (f"{name} is new" for name in new if name not in old)
    yield from (f"{name} is gone" for name in old if name not in new)
    yield from (f"{name} was written to" for name in new if name in old and old[name] != new[name])

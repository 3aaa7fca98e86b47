"""The documents of a part that are kept become tokens, each ended by the token that ends a document."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import msgspec
import numpy as np
from tokenizers import Tokenizer as Loaded

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.data.indexed import Tokens
from l3_modeltools.data.prepare.origin import Origin
from l3_modeltools.data.prepare.parts import WorkPart
from l3_modeltools.data.prepare.read import Content, Unreadable
from l3_modeltools.data.prepare.scan import read_part
from l3_modeltools.data.prepare.tokenizer import token_dtype
from l3_modeltools.data.prepare.verdicts import Verdict
from l3_modeltools.data.prepare.workplace import Encoded, Workplace, whole_files
from l3_modeltools.schemas import Tokenizer

__all__ = ["TextEncoder", "encode_part", "pieces_of_text"]

BATCH_CHARACTERS = 2**18
"""Text encoded at once: what the tokenizer tells of each token takes a hundred times its two bytes."""


class TextEncoder:
    """A tokenizer as it is used on texts: what looks like a special token is text like any other."""

    def __init__(self, directory: Path, tokenizer: Tokenizer) -> None:
        self.loaded = Loaded.from_file(str(directory / "tokenizer.json"))
        self.loaded.no_truncation()
        self.loaded.no_padding()
        self.loaded.encode_special_tokens = True
        self.tokenizer = tokenizer
        self.end = tokenizer.end_of_document
        self.dtype = np.dtype(token_dtype(tokenizer))

    def encode(self, texts: list[str]) -> tuple[Tokens, list[int]]:
        """Return the tokens of all texts, one after the other, and how many each has, its end included."""
        pieces = [pieces_of_text(text) for text in texts]
        flat = list(chain.from_iterable(pieces))
        ids = iter([one.ids for one in self.loaded.encode_batch_fast(flat, add_special_tokens=False)])
        documents = [[*chain.from_iterable(next(ids) for _ in of_text), self.end] for of_text in pieces]
        lengths = [len(document) for document in documents]
        tokens = np.fromiter(chain.from_iterable(documents), dtype=self.dtype, count=sum(lengths))
        return tokens, lengths

    def end_tokens(self, tokens: Tokens) -> tuple[Tokens, list[int]]:
        """Return tokens read as such as they are stored. Raises UnsatisfiableError for one that is unknown."""
        low, high = int(tokens.min()), int(tokens.max())
        if low < 0 or high >= self.tokenizer.vocab_size:
            raise UnsatisfiableError(
                f"tokenizer {self.tokenizer.name}",
                found=f"stored tokens from {low} to {high}",
                expected=f"tokens below its vocab_size {self.tokenizer.vocab_size}",
                hint="name the tokenizer that the .bin was written with",
            )
        ended = tokens if tokens[-1] == self.end else np.append(tokens, self.end)
        return ended.astype(self.dtype), [ended.size]


def pieces_of_text(text: str) -> list[str]:
    """Cut a long text before a space that follows no space: a pair of bytes never reaches over that."""
    pieces, start = [], 0
    while len(text) - start > BATCH_CHARACTERS:
        end = start + BATCH_CHARACTERS
        while end > start and not (text[end] == " " and not text[end - 1].isspace()):
            end -= 1
        end = end if end > start else start + BATCH_CHARACTERS
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]


def encode_part(
    origin: Origin, part: WorkPart, place: Workplace, encoder: TextEncoder, first: int
) -> Encoded:
    """Write the tokens and lengths of a part's kept documents; `first` is its first document's number."""
    verdicts = place.load_verdicts(first, len(place.load_rows(part.index)))
    kept = (
        content
        for content, verdict in zip(read_part(origin, part), verdicts, strict=True)
        if verdict == Verdict.KEPT and not isinstance(content, Unreadable)
    )
    documents = tokens = 0
    with whole_files(place.tokens(part.index), place.lengths(part.index)) as (tokens_file, lengths_file):
        for batch, lengths in _encoded(kept, encoder):
            tokens_file.write(batch.tobytes())
            lengths_file.write(np.array(lengths, dtype="<i4").tobytes())
            documents += len(lengths)
            tokens += batch.size
    encoded = Encoded(documents=documents, tokens=tokens)
    with whole_files(place.encoded(part.index)) as (note,):
        note.write(msgspec.json.encode(encoded))
    return encoded


def _encoded(kept: Iterator[Content], encoder: TextEncoder) -> Iterator[tuple[Tokens, list[int]]]:
    for texts in _batches(kept):
        if isinstance(texts, np.ndarray):
            yield encoder.end_tokens(texts)
        else:
            yield encoder.encode(texts)


def _batches(contents: Iterator[Content]) -> Iterator[list[str] | Tokens]:
    """Gather texts until they are enough for one call; tokens go alone."""
    waiting: list[str] = []
    characters = 0
    for content in contents:
        if isinstance(content, np.ndarray):
            yield content
        elif isinstance(content, str):
            waiting.append(content)
            characters += len(content)
        if characters >= BATCH_CHARACTERS:
            yield waiting
            waiting, characters = [], 0
    if waiting:
        yield waiting

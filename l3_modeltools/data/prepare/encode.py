"""The documents of a part that are kept become tokens, each ended by the token that ends a document."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from l0_infra.core.errors import DocumentError, UnsatisfiableError
from l3_modeltools.data.chat import EncodedChat, encode_chat, encode_pair
from l3_modeltools.data.indexed import Tokens
from l3_modeltools.data.prepare.documents import Documents
from l3_modeltools.data.prepare.origin import Origin
from l3_modeltools.data.prepare.parts import WorkPart
from l3_modeltools.data.prepare.pieces import PieceTable, bounded, splitter_of
from l3_modeltools.data.prepare.read import Content, Format, Record, Unreadable
from l3_modeltools.data.prepare.scan import read_part
from l3_modeltools.data.prepare.tokenizer import (
    load_template,
    load_tokenizer,
    token_dtype,
    told_of_the_tokenizer,
)
from l3_modeltools.data.prepare.verdicts import DocumentVerdict
from l3_modeltools.data.prepare.workplace import Encoded, Workplace, whole_files
from l3_modeltools.schemas import Tokenizer

__all__ = ["Encoder", "encode_part"]

BATCH_CHARACTERS = 2**18
"""Text encoded at once: its pieces, and what a tokenizer tells of each token, take many times its bytes."""


class Encoder:
    """A tokenizer at work on one format; in plain texts what looks like a special token is text like any other."""

    def __init__(self, directory: Path, tokenizer: Tokenizer, format: Format) -> None:
        self.directory = directory
        self.loaded = load_tokenizer(directory)
        self.loaded.no_truncation()
        self.loaded.no_padding()
        self.loaded.encode_special_tokens = format == "text"
        self.template = None if format == "text" else load_template(directory)
        self.tokenizer = tokenizer
        self.format = format
        self.end = tokenizer.end_of_document
        self.dtype = np.dtype(token_dtype(tokenizer))
        self.end_bytes = np.array([self.end], dtype=self.dtype).tobytes()
        self.split = splitter_of((directory / "tokenizer.json").read_bytes())
        self.table = PieceTable(self.loaded, self.dtype)

    def encode(self, contents: Iterator[Content]) -> Iterator[Documents]:
        """Yield the documents of all contents, in order, some at a time; a pair becomes two documents."""
        for texts in _gathered(contents):
            if isinstance(texts, list):
                yield self.texts(texts)
            elif isinstance(texts, Record):
                yield self.record(texts)
            else:
                yield self.tokens(texts)

    def texts(self, texts: list[str]) -> Documents:
        """Encode texts."""
        raw = [self._encoded(text) for text in texts]
        lengths = np.array([len(one) // self.dtype.itemsize for one in raw], dtype=np.int32)
        return Documents(tokens=np.frombuffer(b"".join(raw), dtype=self.dtype), lengths=lengths)

    def _encoded(self, text: str) -> bytes:
        """Return the tokens of a text as they are stored, its end included."""
        return b"".join([*map(self._encoded_piece, bounded(text, BATCH_CHARACTERS)), self.end_bytes])

    def _encoded_piece(self, text: str) -> bytes:
        pieces = self.split(text) if self.split else ()
        if sum(map(len, pieces)) == len(text):
            return self.table.encode(pieces)
        with told_of_the_tokenizer(self.directory):
            ids = self.loaded.encode_batch_fast([text], add_special_tokens=False)[0].ids
        return np.array(ids, dtype=self.dtype).tobytes()

    def record(self, record: Record) -> Documents:
        """Encode a chat or a pair; its end is not learnt. Raises DocumentError that names the line."""
        with told_of_the_tokenizer(self.directory):
            try:
                sides = self._sides(record, "a document")
            except DocumentError:
                sides = self._sides(record, record.place())
        end = np.array([self.end])
        return Documents(
            tokens=np.concatenate([part for side in sides for part in (side.ids, end)]).astype(self.dtype),
            lengths=np.array([side.ids.size + 1 for side in sides], dtype=np.int32),
            mask=np.concatenate([np.append(side.mask, np.uint8(0)) for side in sides]),
        )

    def tokens(self, tokens: Tokens) -> Documents:
        """Take stored tokens as they are. Raises UnsatisfiableError for one that the tokenizer lacks."""
        low, high = int(tokens.min()), int(tokens.max())
        if low < 0 or high >= self.tokenizer.vocab_size:
            raise UnsatisfiableError(
                f"tokenizer {self.tokenizer.name}",
                found=f"stored tokens from {low} to {high}",
                expected=f"tokens below its vocab_size {self.tokenizer.vocab_size}",
                hint="name the tokenizer that the .bin was written with",
            )
        ended = tokens if tokens[-1] == self.end else np.append(tokens, self.end)
        return Documents(tokens=ended.astype(self.dtype), lengths=np.array([ended.size], dtype=np.int32))

    def _sides(self, record: Record, where: str) -> tuple[EncodedChat, ...]:
        if self.template is None:
            raise ValueError("a record in a corpus of texts")
        if self.format == "chat":
            return (encode_chat(record.value, self.loaded, self.template, where=where),)
        return encode_pair(record.value, self.loaded, self.template, where=where)


def encode_part(origin: Origin, part: WorkPart, place: Workplace, encoder: Encoder, first: int) -> Encoded:
    """Write the tokens of a part's kept documents; `first` is the number of its first document."""
    verdicts = place.load_verdicts(first, len(place.load_rows(part.index)))
    kept = (
        content
        for content, verdict in zip(read_part(origin, part), verdicts, strict=True)
        if verdict == DocumentVerdict.KEPT and not isinstance(content, Unreadable)
    )
    count = tokens = 0
    index = part.index
    with whole_files(place.tokens(index), place.lengths(index), place.mask(index)) as files:
        for documents in encoder.encode(kept):
            files[0].write(documents.tokens.tobytes())
            files[1].write(documents.lengths.astype("<i4").tobytes())
            files[2].write(b"" if documents.mask is None else documents.mask.tobytes())
            count += documents.lengths.size
            tokens += documents.tokens.size
    encoded = Encoded(documents=count, tokens=tokens)
    with whole_files(place.encoded(index)) as (note,):
        note.write(msgspec.json.encode(encoded))
    return encoded


def _gathered(contents: Iterator[Content]) -> Iterator[list[str] | Record | Tokens]:
    """Gather texts until they are enough for one call; everything else goes alone. One part has one kind."""
    waiting: list[str] = []
    characters = 0
    for content in contents:
        if not isinstance(content, str):
            yield content
            continue
        waiting.append(content)
        characters += len(content)
        if characters >= BATCH_CHARACTERS:
            yield waiting
            waiting, characters = [], 0
    if waiting:
        yield waiting

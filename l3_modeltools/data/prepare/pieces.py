"""Byte-level pairs never reach over a piece of text, so a piece met before need not be encoded again.

A tokenizer names the pattern that cuts text into pieces; most text is made of few pieces (Zipf's law), so that a table
of them is several times faster than the tokenizer itself, and gives the same tokens.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import regex
from tokenizers import Tokenizer as Loaded
from tokenizers.pre_tokenizers import ByteLevel

__all__ = ["GPT2", "PieceTable", "Splitter", "bounded", "splitter_of"]

Splitter = Callable[[str], Sequence[str]]
"""Cuts a text into the pieces that its tokenizer encodes one by one."""

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""How GPT-2 cuts text, and every byte-level tokenizer that names no pattern of its own."""

GPT2_ASCII = re.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", re.ASCII
)
"""The same for text of ASCII alone, in the faster of two libraries; whitespace is that of Unicode below 128."""

SEPARATORS = re.compile("[\x1c-\x1f]")
"""Whitespace to Python alone."""

MOST_PIECES = 2**17
LONGEST_PIECE = 64
"""Longer ones hardly ever come again."""


def splitter_of(tokenizer_json: bytes) -> Splitter | None:
    """Return how a tokenizer cuts text, or None unless it is one whose pieces are encoded each by itself."""
    parts = msgspec.json.decode(tokenizer_json, type=dict[str, Any])
    model, added = parts["model"], parts.get("added_tokens") or ()
    if parts.get("normalizer") or model.get("type") != "BPE" or model.get("dropout"):
        return None
    if not all(token["special"] for token in added):
        return None
    pattern = _pattern(parts.get("pre_tokenizer") or {})
    return None if pattern is None else _splitter(pattern)


def bounded(text: str, characters: int) -> Iterator[str]:
    """Cut a long text before a space that follows no white space: no piece reaches over that."""
    start = 0
    while len(text) - start > characters:
        end = start + characters
        while end > start and not (text[end] == " " and not text[end - 1].isspace()):
            end -= 1
        end = end if end > start else start + characters
        yield text[start:end]
        start = end
    yield text[start:]


class PieceTable(dict[str, bytes]):
    """The tokens of each piece, as they are stored; one that is missing is encoded and, if it is short, kept."""

    def __init__(self, loaded: Loaded, dtype: np.dtype[np.integer]) -> None:
        super().__init__()
        self.model = loaded.model
        self.alphabet = ByteLevel(add_prefix_space=False, use_regex=False)
        self.dtype = dtype

    def __missing__(self, piece: str) -> bytes:
        written = "".join(text for text, _ in self.alphabet.pre_tokenize_str(piece))
        ids = [token.id for token in self.model.tokenize(written)]
        tokens = np.array(ids, dtype=self.dtype).tobytes()
        if len(piece) <= LONGEST_PIECE:
            if len(self) >= MOST_PIECES:
                self.clear()
            self[piece] = tokens
        return tokens

    def encode(self, pieces: Sequence[str]) -> bytes:
        """Return the tokens of pieces, one after the other."""
        return b"".join(map(self.__getitem__, pieces))


def _pattern(cutter: Mapping[str, Any]) -> str | None:
    """Read the pattern of a byte-level pre-tokenizer; None for any other."""
    if cutter.get("type") == "ByteLevel":
        return GPT2 if cutter.get("use_regex", True) and not cutter.get("add_prefix_space") else None
    if cutter.get("type") != "Sequence" or len(cutter["pretokenizers"]) != 2:
        return None
    split, level = cutter["pretokenizers"]
    is_split = split.get("type") == "Split" and split["behavior"] == "Isolated" and not split["invert"]
    is_level = level.get("type") == "ByteLevel" and not (level["add_prefix_space"] or level["use_regex"])
    pattern = split["pattern"].get("Regex") if is_split and is_level else None
    return pattern if isinstance(pattern, str) else None


def _splitter(pattern: str) -> Splitter | None:
    try:
        compiled = regex.compile(pattern)
    except regex.error:
        return None
    if compiled.groups:
        return None
    if pattern != GPT2:
        findall: Splitter = compiled.findall
        return findall

    def split(text: str) -> Sequence[str]:
        return (GPT2_ASCII if text.isascii() and not SEPARATORS.search(text) else compiled).findall(text)

    return split

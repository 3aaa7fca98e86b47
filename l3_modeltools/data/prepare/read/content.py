"""What a document is once it was read: a text, a chat or a pair of chats as the file has it, or tokens already."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

__all__ = [
    "Content",
    "Format",
    "Message",
    "Pair",
    "Record",
    "Unreadable",
    "checked",
    "content_type",
    "encoded",
    "words_of",
]

Format = Literal["text", "chat", "preference"]


class Message(msgspec.Struct, frozen=True):
    """What every turn of a chat has; a template may read more of it."""

    role: str
    content: str


Turns = list[Message]


class Pair(msgspec.Struct, frozen=True):
    """Two answers to one prompt; each side is a whole chat, or what follows `prompt`."""

    chosen: Turns | str
    rejected: Turns | str
    prompt: Turns | str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A chat or a pair as it came from a file; `place` finds its line or row."""

    value: object
    place: Callable[[], str]


Content = str | Record | npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A document that cannot be decoded, and where it is."""

    where: str


def content_type(format: Format) -> object:
    """What a field must hold: a text, which may be null; for records, what `checked` looks at."""
    return str | None if format == "text" else Any


def checked(value: object, format: Format) -> object:
    """Return a record unless it lacks what its format needs. Raises msgspec.ValidationError."""
    if format != "text":
        msgspec.convert(value, type=Turns if format == "chat" else Pair)
    return value


def encoded(content: Content) -> bytes:
    """Write a document as bytes that are equal exactly when two documents are."""
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, Record):
        return msgspec.json.encode(content.value, order="deterministic")
    return content.astype("<i4").tobytes()


def words_of(content: Content) -> str:
    """All text of a document, for what measures words; nothing for tokens."""
    if isinstance(content, str):
        return content
    return "\n".join(_texts(content.value)) if isinstance(content, Record) else ""


def _texts(value: object) -> list[str]:
    """Texts of a chat or a pair: of the contents, and of what stands for a message."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        names = ("content",) if "content" in value else Pair.__struct_fields__
        return [text for name in names for text in _texts(value.get(name))]
    return [text for item in value for text in _texts(item)] if isinstance(value, list) else []

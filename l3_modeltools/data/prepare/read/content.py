"""What a document is once it was read: a text, a chat, a pair of chats, or tokens already."""

from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

__all__ = [
    "Content",
    "Format",
    "Message",
    "Pair",
    "Turns",
    "Unreadable",
    "content_type",
    "encoded",
    "words_of",
]

Format = Literal["text", "chat", "preference"]


class Message(msgspec.Struct, frozen=True):
    """One turn of a chat; what else a file says of it is left out."""

    role: str
    content: str


Turns = tuple[Message, ...]


class Pair(msgspec.Struct, frozen=True):
    """Two answers to one prompt; each side is a whole chat, or what follows `prompt`."""

    chosen: Turns
    rejected: Turns
    prompt: Turns = ()


Content = str | Turns | Pair | npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A document that cannot be decoded, and where it is."""

    where: str


def content_type(format: Format) -> object:
    """The type that a field holds; a text that is null is an empty one."""
    return {"text": str | None, "chat": Turns, "preference": Pair}[format]


def encoded(content: Content) -> bytes:
    """Write a document as bytes that are equal exactly when two documents are."""
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, np.ndarray):
        return content.astype("<i4").tobytes()
    return msgspec.json.encode(content)


def words_of(content: Content) -> str:
    """All text of a document, for what measures words; nothing for tokens."""
    if isinstance(content, str):
        return content
    if isinstance(content, Pair):
        return words_of((*content.prompt, *content.chosen, *content.rejected))
    if isinstance(content, np.ndarray):
        return ""
    return "\n".join(message.content for message in content)

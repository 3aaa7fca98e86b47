"""Files become documents, one at a time, whatever they are stored in."""

from l3_modeltools.data.prepare.read.content import (
    Content,
    Format,
    Message,
    Pair,
    Turns,
    Unreadable,
    encoded,
    words_of,
)
from l3_modeltools.data.prepare.read.pieces import pieces_of
from l3_modeltools.data.prepare.read.slices import read_slice

__all__ = [
    "Content",
    "Format",
    "Message",
    "Pair",
    "Turns",
    "Unreadable",
    "encoded",
    "pieces_of",
    "read_slice",
    "words_of",
]

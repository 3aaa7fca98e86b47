"""Files become documents, one at a time, whatever they are stored in."""

from l3_modeltools.data.prepare.read.content import Content, Format, Record, Unreadable, encoded, words_of
from l3_modeltools.data.prepare.read.pieces import pieces_of
from l3_modeltools.data.prepare.read.slices import read_slice

__all__ = [
    "Content",
    "Format",
    "Record",
    "Unreadable",
    "encoded",
    "pieces_of",
    "read_slice",
    "words_of",
]

"""How the bytes of an .idx lie, for its reader and its writer.

    magic 9 bytes · version uint64 · dtype code uint8 · sequences uint64 · document entries uint64
    length of each sequence, int32 · byte offset of each sequence in the .bin, int64
    first sequence of each document and, as the last entry, the number of sequences, int64

All little-endian. A document of a text has one sequence in what ogai writes, and may have several in other files.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from l0_infra.core.errors import UnsatisfiableError

__all__ = ["HEADER_BYTES", "IndexHeader", "TokenDtype", "Tokens", "parse_header", "render_header"]

Tokens = npt.NDArray[np.integer]
"""Tokens in whatever integers they are stored."""

TokenDtype = Literal["uint16", "int32"]
"""What ogai stores tokens in."""

MAGIC = b"MMIDIDX\x00\x00"
VERSION = 1
HEADER = struct.Struct("<9sQBQQ")
HEADER_BYTES = HEADER.size
DTYPE_CODES = {1: "u1", 2: "i1", 3: "<i2", 4: "<i4", 5: "<i8", 6: "<f8", 7: "<f4", 8: "<u2"}
BYTES_A_SEQUENCE = 4 + 8
BYTES_A_DOCUMENT = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexHeader:
    """What an .idx begins with; `entries` is one more than there are documents."""

    dtype: np.dtype[np.integer]
    sequences: int
    entries: int

    @property
    def index_bytes(self) -> int:
        """Size of the whole .idx."""
        return HEADER_BYTES + self.sequences * BYTES_A_SEQUENCE + self.entries * BYTES_A_DOCUMENT


def render_header(header: IndexHeader) -> bytes:
    """Write a header."""
    code = next(code for code, name in DTYPE_CODES.items() if np.dtype(name) == header.dtype)
    return HEADER.pack(MAGIC, VERSION, code, header.sequences, header.entries)


def parse_header(content: bytes, *, where: Path) -> IndexHeader:
    """Read a header. Raises UnsatisfiableError for what is no index, or none of tokens."""
    if not content.startswith(MAGIC):
        raise bad_file(where, f"first bytes {content[: len(MAGIC)]!r}", f"{MAGIC!r}, as an index begins")
    if len(content) < HEADER_BYTES:
        raise bad_file(where, f"{len(content)} bytes", f"a header of {HEADER_BYTES}")
    _, version, code, sequences, entries = HEADER.unpack_from(content)
    if version != VERSION:
        raise bad_file(where, f"version {version}", f"version {VERSION}")
    dtype = np.dtype(DTYPE_CODES.get(code, "f8"))
    if dtype.kind not in "iu":
        raise bad_file(where, f"dtype code {code}", "integers, as tokens are: one of 1, 2, 3, 4, 5, 8")
    return IndexHeader(dtype=dtype, sequences=sequences, entries=entries)


def bad_file(where: Path, found: str, expected: str) -> UnsatisfiableError:
    """Say that a file is damaged or foreign."""
    hint = "the file is damaged or no indexed dataset: prepare the data again, or copy it anew"
    return UnsatisfiableError(str(where), found=found, expected=expected, hint=hint)

"""What was decided of a document, as a number that fits a byte of a file."""

from enum import IntEnum
from typing import Literal

import numpy as np

__all__ = ["REASONS", "SCANNED", "DocumentVerdict"]

Reason = Literal["exact_duplicate", "near_duplicate", "empty", "quality", "licence", "unreadable"]


class DocumentVerdict(IntEnum):
    """Kept, or why not."""

    KEPT = 0
    UNREADABLE = 1
    LICENCE = 2
    EMPTY = 3
    QUALITY = 4
    EXACT_DUPLICATE = 5
    NEAR_DUPLICATE = 6


REASONS: dict[DocumentVerdict, Reason] = {
    DocumentVerdict.UNREADABLE: "unreadable",
    DocumentVerdict.LICENCE: "licence",
    DocumentVerdict.EMPTY: "empty",
    DocumentVerdict.QUALITY: "quality",
    DocumentVerdict.EXACT_DUPLICATE: "exact_duplicate",
    DocumentVerdict.NEAR_DUPLICATE: "near_duplicate",
}

SCANNED = np.dtype([("high", "<u8"), ("low", "<u8"), ("size_bytes", "<u8"), ("verdict", "u1")])
"""What is known of a document once it was read: 128 bits of its hash, its size, what was decided."""

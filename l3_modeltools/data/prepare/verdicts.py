"""What was decided of a document, as a number that fits a byte of a file."""

from enum import IntEnum
from typing import Literal

import numpy as np

__all__ = ["REASONS", "SCANNED", "Verdict"]

Reason = Literal["exact_duplicate", "near_duplicate", "empty", "quality", "licence", "unreadable"]


class Verdict(IntEnum):
    """Kept, or why not."""

    KEPT = 0
    UNREADABLE = 1
    LICENCE = 2
    EMPTY = 3
    QUALITY = 4
    EXACT_DUPLICATE = 5
    NEAR_DUPLICATE = 6


REASONS: dict[Verdict, Reason] = {
    Verdict.UNREADABLE: "unreadable",
    Verdict.LICENCE: "licence",
    Verdict.EMPTY: "empty",
    Verdict.QUALITY: "quality",
    Verdict.EXACT_DUPLICATE: "exact_duplicate",
    Verdict.NEAR_DUPLICATE: "near_duplicate",
}

SCANNED = np.dtype([("high", "<u8"), ("low", "<u8"), ("size_bytes", "<u8"), ("verdict", "u1")])
"""What is known of a document once it was read: 128 bits of its hash, its size, what was decided."""

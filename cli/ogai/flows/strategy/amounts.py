"""Numbers of tokens as people write them."""

import re

from l0_infra.core.errors import UsageError

__all__ = ["parse_amount"]

SCALES = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12}
AMOUNT = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([KMBGT]?)", re.ASCII | re.IGNORECASE)


def parse_amount(text: str, *, where: str) -> float:
    """Read `15T`, `300B` or a plain number; raise UsageError naming `where` for anything else."""
    match = AMOUNT.fullmatch(text.strip())
    if match is None or float(match[1]) == 0:
        raise UsageError(where, found=f"`{text}`", expected="a number of tokens: 15T, 300B, 1000000")
    return float(match[1]) * SCALES[match[2].upper()]

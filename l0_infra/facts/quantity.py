"""Quantities as tools print them, each of which may be missing, and parts of documents that hold none."""

import re
from typing import TypeVar

from l0_infra.core.documents import Part
from l0_infra.facts.tree import integer

__all__ = ["celsius", "hertz", "measured", "told", "total"]

P = TypeVar("P", bound=Part)

NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
MEGA = 1_000_000


def measured(word: str) -> float | None:
    """Read a number that is not negative, without a unit; None for anything else."""
    bare = word.strip()
    return float(bare) if NUMBER.fullmatch(bare) else None


def celsius(word: str) -> float | None:
    """Read a temperature that a chip can have: between -50 and 200 degrees."""
    bare = word.strip()
    value = measured(bare.removeprefix("-"))
    if value is None:
        return None
    signed = -value if bare.startswith("-") else value
    return signed if -50 <= signed <= 200 else None


def hertz(word: str) -> int | None:
    """Read a clock rate printed in MHz; None for 0, which tools print for a clock that they do not know."""
    value = measured(word)
    return round(value * MEGA) or None if value is not None else None


def total(*words: str | None) -> int | None:
    """Add up the counts that are told; None when none is."""
    counts = [count for word in words if (count := integer(word)) is not None]
    return sum(counts) if counts else None


def told(part: P) -> P | None:
    """Return a part that says something; None for one all of whose fields are missing."""
    return None if part == type(part)() else part

"""Words and quantities as `nvidia-smi` prints them, and what it prints where it knows nothing."""

import re
from functools import cache
from typing import TypeVar
from xml.etree.ElementTree import Element

from l0_infra.facts.vendor import MIB, text

__all__ = ["LOST", "count", "flag", "known", "mebibytes_at", "or_none", "quantity", "said", "text_at"]

LOST = ("GPU is lost", "GPU requires reset")
"""What stands in place of values of a GPU that no longer answers."""

NO_VALUE = frozenset(
    word.lower()
    for word in (
        *LOST,
        "Corrupted infoROM",
        "Driver Not Loaded",
        "Function Not Found",
        "GPU is inaccessible",
        "Insufficient Permissions",
        "Invalid Argument",
        "Requested functionality has been deprecated",
        "Timeout",
        "Uninitialized",
    )
)
"""Errors that stand in place of values, beside those that `text` knows; the words of nvmlErrorString (NVML API
reference, https://docs.nvidia.com/deploy/nvml-api/) and of `nvidia-smi` itself.
"""

FLAGS = {
    word: value
    for value, words in ((True, "yes enabled active true"), (False, "no disabled false"))
    for word in words.split()
} | {"not active": False}

Value = TypeVar("Value")


def known(word: str | None) -> str | None:
    """Return a word without blanks around it; None for what stands in place of a value."""
    bare = text(word or "")
    return None if bare is None or bare.lower() in NO_VALUE else bare


def said(gpu: Element, *paths: str) -> str | None:
    """Return what stands at the first path that says something; versions put the same thing at several."""
    return next((word for path in paths if (word := known(text_at(gpu, path))) is not None), None)


def text_at(element: Element, path: str) -> str | None:
    """Return the text at a path of names, as `findtext` does, which is slow on more than one name."""
    *above, name = path.split("/")
    place: Element | None = element
    for one in above:
        place = None if place is None else place.find(one)
    return None if place is None else place.findtext(name)


def quantity(word: str | None, unit: str) -> float | None:
    """Read a number with its unit: `67.03 W`, `-2 C`."""
    match = re.fullmatch(rf"(-?[0-9]{{1,12}}(?:\.[0-9]{{1,6}})?) ?{unit}", word or "")
    return float(match[1]) if match else None


def count(word: str | None, unit: str = "") -> int | None:
    """Read a whole number of at most 18 digits with its unit, if it has one: `3`, `16x`, `2 bank(s)`."""
    match = _counted(unit).fullmatch(word or "")
    return int(match[1]) if match else None


@cache
def _counted(unit: str) -> re.Pattern[str]:
    return re.compile(rf"([0-9]{{1,18}}) ?{re.escape(unit)}")


def mebibytes_at(element: Element, path: str) -> int | None:
    """Read a size in MiB and return bytes."""
    mebibytes = count(said(element, path), "MiB")
    return None if mebibytes is None else mebibytes * MIB


def flag(word: str | None) -> bool | None:
    """Read a yes or no in any of the tool's words."""
    return FLAGS.get((word or "").lower())


def or_none(part: Value) -> Value | None:
    """Return a part of a document, and None for one of which nothing is known."""
    return None if part == type(part)() else part

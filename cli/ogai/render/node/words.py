"""The words that facts of nodes are told in: what is unknown is left out of a line, or said to be."""

from collections.abc import Iterable, Iterator

from l0_infra.core.units import format_bytes, format_count

__all__ = ["UNKNOWN", "Field", "counted", "joined", "named", "optional_section", "rate", "section", "size"]

UNKNOWN = "unknown"

Field = tuple[str, str]
"""A name and a value; a name without a value heads what follows, a value without a name goes on."""


def section(title: str, entries: Iterable[Iterator[Field]], none: str) -> Iterator[Field]:
    """Yield a heading and what stands below it; `none` where nothing does."""
    yield title, ""
    yield from [line for entry in entries for line in entry] or [("", none)]


def optional_section(title: str, fields: Iterable[Field]) -> Iterator[Field]:
    """Yield a heading and those fields that say something; nothing where none does."""
    told = [(name, value) for name, value in fields if value]
    if told:
        yield title, ""
        yield from told


def joined(*words: str | None) -> str:
    """Join what is known by commas; empty where nothing is."""
    return ", ".join(word for word in words if word)


def named(name: str, value: object) -> str | None:
    """Write `name value`; None where the value is unknown."""
    return None if value is None or value == "" else f"{name} {value}"


def counted(number: int | None, noun: str) -> str | None:
    """Write how many there are; None where that is unknown."""
    return None if number is None else format_count(number, noun)


def size(size_bytes: int | None) -> str:
    """Write bytes, unknown ones as such."""
    return UNKNOWN if size_bytes is None else format_bytes(size_bytes)


def rate(bits_per_s: int | None) -> str | None:
    """Write the rate of a port."""
    return None if bits_per_s is None else f"{bits_per_s / 1e9:g} Gbit/s"

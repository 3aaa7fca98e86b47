"""Fields of facts by name, and how their values are written in words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct

from l0_infra.core.units import format_bytes
from l0_infra.inspection.derived import Derived
from l0_infra.schemas import NodeFacts

__all__ = ["Subject", "describe", "fill"]

PLACE = re.compile(r"\{([a-z_.]+)\}")
WHOLE = "node_facts."
DERIVED = "derived."
OWNER = "owner."


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """What a rule judges: an entry of a list of the facts, or (no entry) the node itself."""

    facts: NodeFacts
    derived: Derived
    entry: Struct | None = None
    owner: Struct | None = None
    """What the entry is part of, where that has an id of its own: an accelerator, of its links."""

    def value(self, field: str) -> object:
        """Return a field; None when it, or what it is part of, is unknown.

        Raises AttributeError for a field that nothing has.
        """
        if field.startswith(DERIVED):
            return walk(self.derived, field.removeprefix(DERIVED))
        if field.startswith(OWNER):
            return walk(self.owner, field.removeprefix(OWNER))
        if field.startswith(WHOLE):
            return walk(self.facts, field.removeprefix(WHOLE))
        return walk(self.facts if self.entry is None else self.entry, field)

    def name(self) -> str:
        """Name it as a person would: `nvidia:3`, `mlx5_1`, `node`."""
        named = self.owner or self.entry
        words = (getattr(named, key, None) for key in ("id", "device", "name", "slot", "address", "what"))
        return next((str(word) for word in words if word), "node")


def walk(start: object, field: str) -> object:
    """Follow a dotted name; None ends the way."""
    value = start
    for step in field.split("."):
        if value is None:
            return None
        value = getattr(value, step)
    return value


def describe(field: str, value: object) -> str:
    """Write a value with the unit that its field's name tells."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(describe(field, one) for one in value) or "none"
    if isinstance(value, int | float):
        return _with_unit(field, value)
    return str(value)


def fill(text: str, subject: Subject, value: str) -> str:
    """Put fields in the place of their names in braces."""

    def put(match: re.Match[str]) -> str:
        name = match[1]
        return value if name == "value" else describe(name, subject.value(name))

    return PLACE.sub(put, text)


def _with_unit(field: str, value: float) -> str:
    base = field.removesuffix("_max")
    for suffix, factor, unit in UNITS:
        if base.endswith(suffix):
            return f"{value / factor:g} {unit}"
    return format_bytes(int(value)) if field.endswith("_bytes") else f"{value:g}"


UNITS = (
    ("_bits_per_s", 1e9, "Gbit/s"),
    ("_bytes_per_s", 1e9, "GB/s"),
    ("_hz", 1e6, "MHz"),
    ("_percent", 1, "%"),
    ("_w", 1, "W"),
    ("_c", 1, "°C"),
    ("transfers_per_s", 1e6, "MT/s"),
    ("offset_s", 1e-3, "ms"),
    ("_s", 1, "s"),
)


def entries(subject: Subject, each: str) -> tuple[Subject, ...] | None:
    """List the entries of a list of the facts, or of the lists in its entries; None when that is unknown."""
    reached: list[tuple[Struct, Struct | None]] = [(subject.facts, None)]
    for step in each.split("."):
        values = [(getattr(part, step), part) for part, _ in reached]
        known = [(value, part) for value, part in values if value is not None]
        if values and not known:
            return None
        reached = [pair for value, part in known for pair in _spread(value, part)]
    return tuple(
        Subject(
            facts=subject.facts,
            derived=subject.derived,
            entry=entry,
            owner=owner if getattr(owner, "id", None) else None,
        )
        for entry, owner in reached
    )


def _spread(value: object, part: Struct) -> Iterator[tuple[Struct, Struct | None]]:
    for entry in value if isinstance(value, tuple) else (value,):
        yield entry, part

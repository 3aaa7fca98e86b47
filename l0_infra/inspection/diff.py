"""How two nodes differ: every field, but for what differs between any two looks."""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct

from l0_infra.inspection.fields import describe
from l0_infra.schemas import NodeFacts

__all__ = ["Difference", "diff_facts"]

FLEETING = frozenset(
    (
        "available_bytes",
        "boot_id",
        "corrected_volatile",
        "evidence",
        "free",
        "held_back_by",
        "hostname",
        "kernel_events",
        "core_hz",
        "memory_hz",
        "memory_temperature_c",
        "memory_used_bytes",
        "node",
        "offset_s",
        "power_w",
        "powered_on_s",
        "probed_at",
        "processes",
        "swap_free_bytes",
        "temperature_c",
        "utilization_percent",
    )
)
"""Fields that change from one look at the same node to the next, what its log tells, and its name."""

OWN = frozenset(("addresses", "address", "guid", "gids", "lid", "mac", "serial", "uuid"))
"""Fields that no two nodes share."""

NAMES: tuple[tuple[str, ...], ...] = (
    ("id",),
    ("device", "port"),
    ("first", "second"),
    ("name", "scope"),
    ("name",),
    ("slot",),
    ("address",),
)
NAMES += (("accelerator",), ("what", "reason"), ("index",))
"""Fields that name an entry of a list, so that entries are compared with their own counterparts."""

Leaf = tuple[str, str, object]
"""Where, the field's own name, its value."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """One field that two nodes have differently; `None` is what one does not have or know."""

    field: str
    first: str | None
    second: str | None


def diff_facts(first: NodeFacts, second: NodeFacts) -> tuple[Difference, ...]:
    """List the fields in which two nodes differ, in the order of the document.

    Left out is what changes from look to look (temperatures, memory in use) and what no two nodes share
    (serial numbers, addresses).
    """
    one, other = dict(_leaves(first)), dict(_leaves(second))
    return tuple(
        Difference(field=path, first=one.get(path), second=other.get(path))
        for path in dict.fromkeys((*one, *other))
        if one.get(path) != other.get(path)
    )


def _leaves(facts: NodeFacts) -> Iterator[tuple[str, str]]:
    for path, name, value in _walk("", "", facts):
        if value is not None:
            yield path, describe(name, value)


def _walk(path: str, name: str, value: object) -> Iterator[Leaf]:
    if isinstance(value, Struct):
        for field in value.__struct_fields__:
            if field not in FLEETING and field not in OWN:
                yield from _walk(f"{path}.{field}" if path else field, field, getattr(value, field))
    elif isinstance(value, tuple) and any(isinstance(entry, Struct) for entry in value):
        for index, entry in enumerate(value):
            yield from _walk(f"{path}[{_key(entry, index)}]", name, entry)
    else:
        yield path, name, value


def _key(entry: object, index: int) -> str:
    for names in NAMES:
        words = [getattr(entry, name, None) for name in names]
        if None not in words:
            return " ".join(map(str, words))
    return str(index)

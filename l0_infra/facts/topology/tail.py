"""The columns behind the matrix, which run into one another: `56-111,168-2231` is `56-111,168-223` and NUMA node 1.

Where a row has fewer words than columns, every way to cut it is a reading. Readings fall that the machine contradicts
(its CPUs, its NUMA nodes), or else the other rows: devices of one NUMA node have the same CPUs, those of two have as
many, but others. What is then not told alike by all that are left is unknown.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

import msgspec

from l0_infra.facts.tree import integer

__all__ = ["Place", "numbers", "read_tails"]

LIST = re.compile(r"N(?:-N)?(?:,N(?:-N)?)*".replace("N", "(?:0|[1-9][0-9]{0,4})"))
"""Numbers as the kernel lists them: `0-55,112-167`, `6,14`, `1`."""

UNKNOWN = "N/A"
READINGS_MOST = 4096
"""Combinations of readings that are looked at; with more, nothing is decided."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a device lies, as one reading of its row has it."""

    cpus: str | None = None
    numa_node: int | None = None


def read_tails(
    tails: Sequence[str], columns: Sequence[str], numa: Mapping[int, frozenset[int]]
) -> tuple[Place, ...]:
    """Read each row's tail; `numa` has the CPUs of the machine's NUMA nodes, and is empty where they are not known."""
    readings = {tail: _plausible([*_readings(tail, columns)], numa) for tail in dict.fromkeys(tails)}
    settled = _settled(readings)
    return tuple(settled[tail] for tail in tails)


def _readings(tail: str, columns: Sequence[str]) -> Iterator[Place]:
    """Yield the ways to cut a tail into its columns, the last of which may be missing."""
    for fields in _cuts(tail, len(columns)):
        told = dict(zip(columns, fields, strict=False))
        cpus, node = told.get("CPU Affinity", UNKNOWN), told.get("NUMA Affinity", UNKNOWN)
        yield Place(cpus=None if cpus == UNKNOWN else cpus, numa_node=integer(node))


def _cuts(text: str, columns: int) -> Iterator[tuple[str, ...]]:
    if not text:
        yield ()
    elif columns:
        for end in _ends(text):
            for rest in _cuts(text[end:].lstrip(), columns - 1):
                yield (text[:end], *rest)


def _ends(text: str) -> Iterator[int]:
    """Yield where the first column may end: behind `N/A`, or at any digit of its last number."""
    if text.startswith(UNKNOWN):
        yield len(UNKNOWN)
        return
    match = LIST.match(text)
    if match:
        last = len(match[0]) - len(re.split("[,-]", match[0])[-1])
        yield from (end for end in range(last + 1, match.end() + 1) if numbers(text[:end]) is not None)


@lru_cache(maxsize=512)
def numbers(text: str | None) -> frozenset[int] | None:
    """Read a list of numbers; None unless it ascends, as the kernel's lists do."""
    if text is None or not LIST.fullmatch(text):
        return None
    spans = [tuple(int(one) for one in span.split("-")) for span in text.split(",")]
    ends = [-1, *(span[-1] for span in spans)]
    if any(not end < span[0] <= span[-1] for end, span in zip(ends, spans, strict=False)):
        return None
    return frozenset(cpu for span in spans for cpu in range(span[0], span[-1] + 1))


def _plausible(readings: list[Place], numa: Mapping[int, frozenset[int]]) -> list[Place]:
    """Let fall what the machine contradicts; one reading is taken as it is."""
    if len(readings) <= 1 or not numa:
        return readings
    known = frozenset(cpu for cpus in numa.values() for cpu in cpus)
    possible = [
        one
        for one in readings
        if (one.numa_node is None or one.numa_node in numa) and (numbers(one.cpus) or frozenset()) <= known
    ]
    return [one for one in possible if _exact(one, numa)] or possible


def _exact(place: Place, numa: Mapping[int, frozenset[int]]) -> bool:
    return place.numa_node is not None and numbers(place.cpus) == numa.get(place.numa_node, frozenset())


def _settled(readings: Mapping[str, list[Place]]) -> dict[str, Place]:
    """Choose one reading a tail: the only one, or the one that fits the other rows."""
    certain = {tail: places[0] for tail, places in readings.items() if len(places) == 1}
    open_ = [tail for tail, places in readings.items() if len(places) > 1]
    ways = [*islice(_ways(open_, readings, tuple(certain.values())), READINGS_MOST + 1)]
    if len(ways) > READINGS_MOST:
        ways = []
    nothing = dict.fromkeys(readings, Place())
    chosen = {tail: _common([way[at] for way in ways] or readings[tail]) for at, tail in enumerate(open_)}
    return nothing | certain | chosen


def _ways(
    tails: Sequence[str], readings: Mapping[str, list[Place]], chosen: tuple[Place, ...]
) -> Iterator[tuple[Place, ...]]:
    """Yield the choices in which all rows go together."""
    if not tails:
        yield ()
        return
    for place in readings[tails[0]]:
        if all(_together(place, other) for other in chosen):
            for rest in _ways(tails[1:], readings, (*chosen, place)):
                yield (place, *rest)


def _together(one: Place, other: Place) -> bool:
    left, right = numbers(one.cpus), numbers(other.cpus)
    if left is None or right is None:
        return True
    if one.numa_node is None or other.numa_node is None:
        return False
    if one.numa_node == other.numa_node:
        return left == right
    return not left & right and len(left) == len(right)


def _common(places: Sequence[Place]) -> Place:
    """Keep what all readings tell alike."""
    cpus = {one.cpus for one in places}
    nodes = {one.numa_node for one in places}
    return Place(
        cpus=cpus.pop() if len(cpus) == 1 else None, numa_node=nodes.pop() if len(nodes) == 1 else None
    )

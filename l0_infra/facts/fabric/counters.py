"""Which of the hundreds of counters tell of errors or congestion; drivers name theirs as they like."""

import re
from collections.abc import Iterable, Iterator

from l0_infra.facts.tree import integer
from l0_infra.schemas import Counter

__all__ = ["TROUBLE", "parse_counters"]

TROUBLE = (
    "err|drop|discard|down|recover|overrun|_wait|out_of|oos_|retr|timeout|nak|cnp|ecn|flush|violation|ignored"
    "|slow_restart|bad_|invalid|exceed|mismatch|missing|duplicate|pause|stall|overflow|trunc|unresponsive"
    "|impaired|integrity|icrc"
)
"""Pieces of the names of such counters, in any case.

Documented in the kernel's Documentation/ABI/stable/sysfs-class-infiniband, its mlx5 counters.rst, and the sources
of the drivers bnxt_re, irdma and efa (hw_counters.c, verbs.c).
"""

NO_TROUBLE = re.compile(r"corrected|^(rx|tx|ch)_?[0-9]+_", re.I)
"""Errors that the code corrected on the wire, and the shares of single queues in a sum that is told too."""


def parse_counters(named: Iterable[tuple[str, str]]) -> tuple[Counter, ...]:
    """Keep what tells of trouble and is not 0, in order of name; the first of equal names counts."""
    found = {counter.name: counter for counter in reversed([*_troubles(named)])}
    return tuple(found[name] for name in sorted(found))


def _troubles(named: Iterable[tuple[str, str]]) -> Iterator[Counter]:
    for name, text in named:
        value = integer(text)
        if value and re.search(TROUBLE, name, re.I) and not NO_TROUBLE.search(name):
            yield Counter(name=name, value=value)

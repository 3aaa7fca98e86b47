"""Reads what nccl-tests, rccl-tests and hccl_test print of an all-reduce; pure, and no text is a crash.

A table with a head of its own names, which changed with the years: `size count type redop root time algbw busbw
#wrong`, the last four twice, out of place and in place (nccl-tests, src/util.cu; before 2.13 `error`, a difference and
no count, in the place of `#wrong`, and no `root`); `data_size | aveg_time | alg_bandwidth | check_result` (hccl_test).
Speeds are in GB/s there, in bytes a second here. The bandwidth of the bus is 2(n-1)/n of that of the algorithm
(nccl-tests, doc/PERFORMANCE.md, AllReduce).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

__all__ = ["PerfRow", "PerfTable", "parse_perf"]

GB = 1e9
HEADS: Sequence[frozenset[str]] = (frozenset(("size", "busbw")), frozenset(("data_size", "alg_bandwidth")))
CHECKS: Mapping[str, int] = {"success": 0, "failed": 1}
BOUNDS = re.compile(r"Out of bounds values\s*:\s*([0-9]{1,18})\b")
FAILURE = re.compile(
    r"Test \w+ failure|Test timeout|Invalid number of GPUs|(hccl|acl|hcom) interface return err|\w*: Test failure"
)
LONGEST = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class PerfRow:
    """One size: bandwidths of the bus in bytes a second, and how many values were wrong; None: not looked at.

    An `error` counts as looked at: what of it is too much the last lines say.
    """

    size_bytes: int
    bus: tuple[float, ...]
    wrong: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PerfTable:
    """Rows in the order they were printed, and how many values were out of bounds by its last lines.

    `closed`: these lines are there; hccl_test prints none, and its table is closed as soon as it has a row.
    """

    rows: tuple[PerfRow, ...] = ()
    failures: tuple[str, ...] = ()
    wrong: int = 0
    closed: bool = False


def parse_perf(text: str, ranks: int) -> PerfTable:
    """Read it, whatever stands between; `ranks` is how many took part."""
    lines = [line.strip()[:LONGEST] for line in text.splitlines()]
    bounds = [int(match[1]) for line in lines if (match := BOUNDS.search(line))]
    rows = tuple(_rows(lines, 2 * (ranks - 1) / max(ranks, 1)))
    return PerfTable(
        rows=rows,
        failures=tuple(line for line in lines if FAILURE.search(line)),
        wrong=max(bounds, default=0),
        closed=bool(bounds) or (bool(rows) and any("check_result" in line for line in lines)),
    )


def _rows(lines: Sequence[str], bus_share: float) -> Iterator[PerfRow]:
    names: tuple[str, ...] = ()
    for line in lines:
        words = [word for word in re.split(r"[|\s]+", line) if word]
        plain = tuple(word.partition("(")[0].rstrip(":") for word in words if word != "#")
        if any(head <= set(plain) for head in HEADS):
            names = plain
        elif names and words and re.fullmatch(r"[0-9]{1,18}", words[0]):
            yield _row(int(words[0]), list(zip(names, words, strict=False)), bus_share)


def _row(size: int, cells: Sequence[tuple[str, str]], bus_share: float) -> PerfRow:
    bus = [_number(word) * GB for name, word in cells if name == "busbw"]
    bus += [_number(word) * GB * bus_share for name, word in cells if name == "alg_bandwidth"]
    wrong = [_number(word) for name, word in cells if name == "#wrong"]
    counts = [int(count) for count in wrong if isfinite(count)]
    counts += [0 for name, word in cells if name == "error" and isfinite(_number(word))]
    counts += [CHECKS[word] for name, word in cells if name == "check_result" and word in CHECKS]
    return PerfRow(
        size_bytes=size,
        bus=tuple(one for one in bus if isfinite(one) and one > 0),
        wrong=sum(counts) if counts else None,
    )


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return float("nan")

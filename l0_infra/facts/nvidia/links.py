"""NVLinks of each GPU: `nvidia-smi nvlink --status` tells which are up, `-e` what went wrong on them."""

import re
from collections.abc import Mapping

from l0_infra.facts.bundle import Answer
from l0_infra.schemas import Accelerator, AcceleratorLink

__all__ = ["Links", "links_of", "parse_links"]

GPU = re.compile(r"GPU ([0-9]{1,3}): .{0,200}?(?:\(UUID: ([^()]{1,80})\))? ?\r?")
LINK = re.compile(r"[ \t]{0,40}Link ([0-9]{1,3}): (.{1,80})")
BANDWIDTH = re.compile(r"([0-9]{1,5}(?:\.[0-9]{1,6})?) GB/s")
COUNTER = re.compile(r"([A-Za-z][A-Za-z ]{1,60}): ([0-9]{1,18})")

ERRORS = frozenset(
    (
        *("Replay Errors", "CRC Errors", "CRC FLIT Errors", "CRC Data Errors"),
        *("Malformed packet Errors", "Buffer overrun Errors", "Rx Errors", "Rx remote Errors"),
        *(
            "Rx General Errors",
            "Local link integrity Errors",
            "Tx discards",
            "Effective Errors",
            "Symbol Errors",
        ),
    )
)
"""Counters that stay 0 on a healthy link. NVLink 5 counts besides what it corrected before anyone noticed (FEC Errors,
Raw Errors), which a healthy link has many of.
"""
RECOVERIES = frozenset(("Recovery Errors", "Link recovery failed events", "Link recovery successful events"))

Key = tuple[int, str]
"""A GPU's index and unique id; the id is empty where it is not told."""
Links = Mapping[Key, tuple[AcceleratorLink, ...]]


def parse_links(status: Answer, errors: Answer) -> Links:
    """Read both forms; a GPU that is named without any link has none that is up."""
    counted = _by_gpu(errors)
    return {gpu: _links(lines, counted.get(gpu, {})) for gpu, lines in _by_gpu(status).items()}


def links_of(gpu: Accelerator, links: Links) -> tuple[AcceleratorLink, ...] | None:
    """Find a GPU's links by its unique id, or its index where either has none; None when they were not told."""
    for (index, uuid), own in links.items():
        if uuid == gpu.uuid or ((not uuid or gpu.uuid is None) and index == gpu.index):
            return own
    return None


def _by_gpu(answer: Answer) -> Mapping[Key, Mapping[int, tuple[str, ...]]]:
    """Sort what is said of each link by GPU and link; of a tool that hung, the last GPU may lack some."""
    found: dict[Key, dict[int, tuple[str, ...]]] = {}
    own: dict[int, tuple[str, ...]] = {}
    for line in answer.out.split("\n"):
        if gpu := GPU.fullmatch(line):
            own = found.setdefault((int(gpu[1]), gpu[2] or ""), {})
        elif link := LINK.fullmatch(line):
            own[int(link[1])] = (*own.get(int(link[1]), ()), link[2].strip())
    return dict(list(found.items())[:-1]) if answer.end == "hung" else found


def _links(
    status: Mapping[int, tuple[str, ...]], counted: Mapping[int, tuple[str, ...]]
) -> tuple[AcceleratorLink, ...]:
    return tuple(_link(number, status[number][0], counted.get(number, ())) for number in sorted(status))


def _link(number: int, state: str, counters: tuple[str, ...]) -> AcceleratorLink:
    rate = BANDWIDTH.fullmatch(state)
    told = {match[1]: int(match[2]) for line in counters if (match := COUNTER.fullmatch(line))}
    return AcceleratorLink(
        index=number,
        kind="nvlink",
        active=True if rate else False if state == "<inactive>" else None,
        bandwidth_bytes_per_s=float(rate[1]) * 1e9 if rate else None,
        errors=_sum(told, ERRORS),
        recoveries=_sum(told, RECOVERIES),
    )


def _sum(told: Mapping[str, int], names: frozenset[str]) -> int | None:
    counts = [count for name, count in told.items() if name in names]
    return sum(counts) if counts else None

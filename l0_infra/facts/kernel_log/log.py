"""A kernel's log as it was read: its lines with their times, or why there are none."""

from collections.abc import Sequence
from dataclasses import dataclass

from l0_infra.facts.bundle import Answer, Answers
from l0_infra.facts.kernel_log.clock import BOOT_TIME, Clock, parse_clock
from l0_infra.facts.kernel_log.lines import Line, parse_lines
from l0_infra.facts.kernel_log.source import LOG
from l0_infra.schemas import Unread

__all__ = ["KernelLog", "in_order", "parse_log"]

FORBIDDEN = ("Operation not permitted", "Permission denied", "insufficient permissions")


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelLog:
    """The lines of a log, None when it was not read, and what could not be read of it."""

    lines: tuple[Line, ...] | None
    clock: Clock
    unread: tuple[Unread, ...] = ()


def parse_log(answers: Answers, now: float) -> KernelLog:
    """Read the kernel's log in whatever form it lies there; `now` tells which year a date without one is of."""
    clock, told = parse_clock(answers[BOOT_TIME.name].out, now), answers[LOG.name]
    unread = tuple(_unread(told))
    read = told.ok or bool(told.out.strip())
    return KernelLog(lines=parse_lines(told.out, clock) if read else None, clock=clock, unread=unread)


def _unread(told: Answer) -> Sequence[Unread]:
    if told.end == "exit" and not told.ok and any(words in told.err + told.out for words in FORBIDDEN):
        hint = (
            "look as root, as one of the group systemd-journal, or set the sysctl kernel.dmesg_restrict to 0"
        )
        return [Unread(what=LOG.name, reason="denied", detail=told.err.strip()[:200], hint=hint)]
    return [*told.unread(LOG.name)]


def in_order(lines: Sequence[Line]) -> list[int]:
    """Return the numbers of lines in the order of their times, or as they stand where a time is not known."""
    numbers = range(len(lines))
    for times in ([line.at for line in lines], [line.uptime_s for line in lines]):
        known = {number: time for number, time in enumerate(times) if time is not None}
        if len(known) == len(lines):
            return sorted(numbers, key=known.__getitem__)
    return list(numbers)

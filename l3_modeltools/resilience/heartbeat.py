"""A page of memory in which each rank says where it is; its supervisor reads it at no cost to the rank."""

import mmap
import os
import struct
import threading
import time
from dataclasses import dataclass
from typing import Literal, get_args

from l3_modeltools.schemas import Section

__all__ = ["Beat", "Heart", "Phase", "Pulse", "SectionTime", "open_page", "page_bytes", "section_of"]

Phase = Literal["setup", "data", "forward", "backward", "optimizer", "save", "validate", "paused", "ended"]
"""Where a rank is: a document's `section`, its forward and backward passes apart; `paused`: it waits, and says so."""

PHASES: tuple[Phase, ...] = get_args(Phase)
"""In the order in which the page numbers them."""
NOW = struct.Struct("<QQqd")
"""Times told so far, phase, step, since when (CLOCK_MONOTONIC, which all processes of a node share)."""

PAST = struct.Struct("<qqdd")
"""Phase, step, seconds in it, seconds of these in which the rank was ready but had no CPU."""

KEPT = 256
"""Parts that are kept; a supervisor that looks ten times a second misses none of a loop of ten steps a second."""

RANK_BYTES = 64 + KEPT * PAST.size


@dataclass(frozen=True, kw_only=True, slots=True)
class Beat:
    """Where a rank is: in which phase of which step, since when (seconds of CLOCK_MONOTONIC)."""

    phase: Phase
    step: int
    since_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionTime:
    """How long a rank was in a phase of a step; `starved_s` of it it was ready to run and no CPU was free for it."""

    phase: Phase
    step: int
    seconds: float
    starved_s: float


def section_of(phase: Phase) -> Section | None:
    """Return the word that documents have for a phase; None where a rank is in none."""
    if phase in ("forward", "backward"):
        return "forward_backward"
    return None if phase in ("paused", "ended") else phase  # type: ignore[return-value]


def page_bytes(ranks: int) -> int:
    """Return how large a page for so many ranks of a node is."""
    return ranks * RANK_BYTES


def open_page(descriptor: int, ranks: int) -> mmap.mmap:
    """Map the page that a descriptor of its memory stands for."""
    return mmap.mmap(descriptor, page_bytes(ranks))


class Heart:
    """The rank's side: call `enter` from the main thread at the beginning of each phase."""

    def __init__(self, page: mmap.mmap, local_rank: int) -> None:
        self._page, self._at = page, local_rank * RANK_BYTES
        self._told = NOW.unpack_from(page, self._at)[0]
        self._phase, self._step, self._since_s = PHASES.index("setup"), 0, time.monotonic()
        self._statistics = _open_statistics()
        self._starved_s = self._read_starved()
        self._tell()

    @property
    def phase(self) -> Phase:
        """The phase that was entered last."""
        return PHASES[self._phase]

    @property
    def step(self) -> int:
        """The step it belongs to."""
        return self._step

    def enter(self, phase: Phase, step: int) -> None:
        """Say that `phase` of `step` begins now; what was before has ended."""
        now, starved_s = time.monotonic(), self._read_starved()
        past = (self._phase, self._step, now - self._since_s, starved_s - self._starved_s)
        PAST.pack_into(self._page, self._at + 64 + (self._told % KEPT) * PAST.size, *past)
        self._phase, self._step, self._since_s, self._starved_s = PHASES.index(phase), step, now, starved_s
        self._told += 1
        self._tell()

    def enter_next(self, phase: Phase) -> None:
        """Say that the next phase of the same step begins."""
        self.enter(phase, self._step)

    def _tell(self) -> None:
        NOW.pack_into(self._page, self._at, self._told, self._phase, self._step, self._since_s)

    def _read_starved(self) -> float:
        """Return the seconds that the main thread waited for a CPU since it began; 0 where the kernel does not say."""
        if self._statistics is None:
            return 0.0
        return int(os.pread(self._statistics, 128, 0).split()[1]) / 1e9


class Pulse:
    """The supervisor's side, of one rank."""

    def __init__(self, page: mmap.mmap, local_rank: int) -> None:
        self._page, self._at = page, local_rank * RANK_BYTES
        self._seen = 0

    def clear(self) -> None:
        """Forget what an earlier process of this rank said: it is in `setup` from now on."""
        self._seen = NOW.unpack_from(self._page, self._at)[0]
        NOW.pack_into(self._page, self._at, self._seen, PHASES.index("setup"), 0, time.monotonic())

    def look(self) -> tuple[Beat, tuple[SectionTime, ...]]:
        """Return where the rank is, and the parts that ended since the last call, as far as they are kept."""
        told, phase, step, since_s = self._now()
        first = max(self._seen, told - KEPT)
        ended = tuple(self._past(number) for number in range(first, told))
        self._seen = told
        return Beat(phase=PHASES[phase], step=step, since_s=since_s), ended

    def _now(self) -> tuple[int, int, int, float]:
        """Read until it was not written meanwhile."""
        before = NOW.unpack_from(self._page, self._at)
        while before != (after := NOW.unpack_from(self._page, self._at)):
            before = after
        told, phase, step, since_s = after
        return int(told), int(phase), int(step), float(since_s)

    def _past(self, number: int) -> SectionTime:
        phase, step, seconds, starved_s = PAST.unpack_from(
            self._page, self._at + 64 + (number % KEPT) * PAST.size
        )
        return SectionTime(phase=PHASES[phase], step=step, seconds=seconds, starved_s=starved_s)


def _open_statistics() -> int | None:
    try:
        return os.open(f"/proc/self/task/{threading.get_native_id()}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None

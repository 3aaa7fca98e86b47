"""Looks at the heartbeats of a node's ranks ten times a second, and says what they mean."""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Protocol

from l3_modeltools.resilience.clock import ClockWatch, Jump, read_clocks
from l3_modeltools.resilience.hang import Hang, HangWatch
from l3_modeltools.resilience.heartbeat import Beat, Pulse, SectionTime
from l3_modeltools.resilience.limits import Limits
from l3_modeltools.resilience.straggler import Straggler, StragglerWatch
from l3_modeltools.resilience.threads import probe_thread

__all__ = ["Observer", "RankListener"]

PATIENCE_S = 1.0
"""Beside what a step may take: time to notice that a peer is gone, and to leave the state in memory."""

LONGEST_PATIENCE_S = 120.0
FIRST_PATIENCE_S = 20.0
"""While nobody knows yet how long a step takes."""

WRITE_EVERY_S = 2.0
STEPS_SHOWN = 16


class RankListener(Protocol):
    """Who hears what is seen while all ranks are at work."""

    def lagged(self, straggler: Straggler) -> None:
        """Hear that a rank is slower than the others, and stays so."""

    def jumped(self, jump: Jump) -> None:
        """Hear that the clock of this node was set."""

    def stepped(self, step: int) -> None:
        """Hear of the first step that a generation has done."""

    def looked(self, beats: Mapping[int, Beat], own_s: Mapping[int, float]) -> None:
        """Hear every few seconds where each rank is, and how long its own part of a step takes."""


class Observer:
    """Keeps what is learnt of a run over the generations of its ranks."""

    def __init__(self, pulses: Sequence[Pulse], listener: RankListener) -> None:
        self.pulses, self.listener = tuple(pulses), listener
        self.limits = Limits()
        self.clock = ClockWatch()
        self.step_done: int | None = None
        """The highest step that a rank of this generation has done; None: none yet."""
        self.begin()

    def begin(self) -> None:
        """Look at a new generation."""
        self.hangs = HangWatch(self.limits)
        self.stragglers = StragglerWatch(len(self.pulses))
        self.own = tuple(deque[float](maxlen=STEPS_SHOWN) for _ in self.pulses)
        self.open_s = [0.0 for _ in self.pulses]
        self.step_done = None
        self.written_s = 0.0

    def patience_s(self) -> float:
        """Return how long ranks get to notice that one of them is gone."""
        if self.limits.median_step_s is None:
            return FIRST_PATIENCE_S
        return min(LONGEST_PATIENCE_S, self.limits.limit_s("forward") + PATIENCE_S)

    def look(self, pids: Mapping[int, int]) -> Hang | None:
        """Take in what living ranks (`pids`) have told; return a hang where there is one."""
        if jump := self.clock.look(*read_clocks()):
            self.listener.jumped(jump)
        beats = {rank: self._learn(rank) for rank in pids}
        if straggler := self.stragglers.judge():
            self.listener.lagged(straggler)
        self._tell(beats)
        threads = {rank: state for rank, pid in pids.items() if (state := probe_thread(pid)) is not None}
        return self.hangs.look(time.monotonic(), beats, threads)

    def _learn(self, rank: int) -> Beat:
        beat, ended = self.pulses[rank].look()
        for past in ended:
            self.limits.learn(rank, past)
            self.stragglers.learn(rank, past)
            self._count(rank, past)
        return beat

    def _count(self, rank: int, past: SectionTime) -> None:
        if past.phase in ("data", "forward"):
            self.open_s[rank] += past.seconds
        elif past.phase == "optimizer":
            self.own[rank].append(self.open_s[rank])
            self.open_s[rank] = 0.0
            is_first = self.step_done is None
            self.step_done = max(past.step, self.step_done or 0)
            if is_first:
                self.listener.stepped(past.step)

    def _tell(self, beats: Mapping[int, Beat]) -> None:
        now = time.monotonic()
        if now - self.written_s >= WRITE_EVERY_S:
            self.written_s = now
            own = {rank: median(times) for rank, times in enumerate(self.own) if times}
            self.listener.looked(beats, own)

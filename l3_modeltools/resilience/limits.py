"""How long a rank may stay in one place before it counts as stuck, learnt from the run itself."""

from collections import deque
from statistics import median

from l3_modeltools.resilience.heartbeat import Phase, SectionTime

__all__ = ["STEP_PHASES", "Limits"]

STEP_PHASES: tuple[Phase, ...] = ("data", "forward", "backward", "optimizer")
"""Of an optimizer step, in order; there may be several forward and backward passes."""

FEWEST_STEPS = 8
"""The median of fewer says little."""

KEPT_STEPS = 256
KEPT_PARTS = 32

STEP_SHARE, STEP_SLACK_S = 2.5, 1.5
"""Of the median step. A watch that looks ten times a second and twice is done within 3 medians + 2 s of the last sign
of life; the slack is what a busy machine takes now and then: a pause of the disk, a swapped page, a lost packet.
"""

DATA_S, DATA_STEPS = 30.0, 10.0
"""A batch that comes late is told by the trainer; one that does not come by then is taken for lost."""

SLACK_S: dict[Phase, float] = {"setup": 30.0, "validate": 10.0, "save": 60.0}
"""Beside 2.5 times the longest that was seen: these parts are few and uneven (a state comes from memory or from a
cold disk, a disk flushes somebody else's data first), so that their median says little of what is still well.
"""

UNKNOWN_S, UNKNOWN_SETUP_S = 120.0, 600.0
"""Until it is known."""


class Limits:
    """Limits of one run's ranks; a new generation of ranks goes on with what was learnt."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[int, float]] = {}
        self._past_first: set[int] = set()
        self._steps: deque[float] = deque(maxlen=KEPT_STEPS)
        self._firsts: deque[float] = deque(maxlen=KEPT_PARTS)
        self._waits: deque[float] = deque(maxlen=KEPT_STEPS)
        self._parts: dict[Phase, deque[float]] = {}

    def learn(self, rank: int, part: SectionTime) -> None:
        """Take in a part of a step that a rank has ended."""
        if part.phase in STEP_PHASES:
            self._add(rank, part)
        elif part.phase in SLACK_S:
            self._parts.setdefault(part.phase, deque(maxlen=KEPT_PARTS)).append(part.seconds)
        if part.phase == "setup":
            self._open.pop(rank, None)
            self._past_first.discard(rank)

    def _add(self, rank: int, part: SectionTime) -> None:
        """Add a part to the rank's step, which its optimizer ends; one that was left out ends in nothing."""
        step, seconds = self._open.get(rank, (part.step, 0.0))
        seconds = part.seconds + (seconds if step == part.step else 0.0)
        self._open[rank] = (part.step, seconds)
        if part.phase == "data" and rank in self._past_first:
            self._waits.append(part.seconds)
        if part.phase == "optimizer":
            (self._steps if rank in self._past_first else self._firsts).append(seconds)
            self._past_first.add(rank)
            del self._open[rank]

    @property
    def median_step_s(self) -> float | None:
        """Median seconds of a step from its data to its optimizer, without the first after each start."""
        return median(self._steps) if len(self._steps) >= FEWEST_STEPS else None

    def limit_s(self, phase: Phase, *, first: bool = False) -> float:
        """Return for how many seconds a rank may give no sign of life in `phase`.

        `first` is a rank's first step after its start: kernels are chosen, memory is got, connections are made.
        Data have more time, for starting anew makes no storage quicker: half a minute, ten steps, or what they were
        waited for before and came.
        """
        if phase not in STEP_PHASES:
            return self._longest_limit_s(phase)
        if (usual := self.median_step_s) is None:
            return UNKNOWN_S
        slowest = max([usual, *self._firsts]) if first else usual
        if phase == "data":
            return max(DATA_S, DATA_STEPS * slowest, STEP_SHARE * max(self._waits, default=0.0))
        return STEP_SHARE * slowest + STEP_SLACK_S

    def _longest_limit_s(self, phase: Phase) -> float:
        if parts := self._parts.get(phase):
            return STEP_SHARE * max(parts) + SLACK_S[phase]
        return UNKNOWN_SETUP_S if phase == "setup" else UNKNOWN_S

"""A rank that is slower than the others holds up all of them in every step, and none of them says so."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from l3_modeltools.resilience.heartbeat import SectionTime
from l3_modeltools.resilience.limits import STEP_PHASES

__all__ = ["Straggler", "StragglerWatch"]

WINDOW = 16
"""Steps that are judged together; one or two odd ones among them do not move a median."""

PERSISTENT = 3
"""Windows in a row."""

LEAST_RATIO = 1.4
"""Ranks on equal devices differ by a few per cent; neighbours in caches and memory make it 20 or 30."""

GONE_RATIO = 1.2
"""Below it, one that was named has recovered."""

LEAST_SCORE = 6.0
"""Standard deviations, as a median absolute deviation estimates them."""

LEAST_SHARE = 0.05
"""Of the whole step: a rank that loses less holds up nobody by much."""

MOST_STARVED, STARVED_RATIO = 0.2, 2.0
"""A rank that had to wait for a CPU for more of its own time has cold caches, too, and may be so much slower."""

LEAST_SIGMA = 0.01
"""Of the others' median."""

MAD_TO_SIGMA = 1.4826
"""The standard deviation of a normal distribution over its median absolute deviation."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Straggler:
    """A rank that was slower than the others for so many windows in a row."""

    rank: int
    step: int
    """Last step that was judged."""
    ratio: float
    """Its own seconds a step over those of the others."""
    own_s: float
    others_s: float
    score: float
    """How many standard deviations of the others it is above their median."""


@dataclass(slots=True)
class _Step:
    step: int
    own_s: float = 0.0
    starved_s: float = 0.0
    whole_s: float = 0.0

    def add(self, part: SectionTime) -> None:
        worked_s = max(part.seconds - part.starved_s, 0.0)
        self.whole_s += worked_s
        if part.phase in ("data", "forward"):
            self.own_s += worked_s
            self.starved_s += part.starved_s


class StragglerWatch:
    """Scores the ranks of a node against each other, from the parts of steps in which a rank waits for nobody.

    A rank's own time of a step is data + forward, less what it was ready to run in it but had no CPU: backward and
    optimizer contain the waiting for the slowest. Where weights are sharded, forward contains waiting too, and only
    what is slow in `data` is seen.
    """

    def __init__(self, ranks: int) -> None:
        self._open: dict[int, _Step] = {}
        self._done: tuple[deque[_Step], ...] = tuple(deque(maxlen=WINDOW * 8) for _ in range(ranks))
        self._streaks = [0] * ranks
        self._named: set[int] = set()

    def learn(self, rank: int, part: SectionTime) -> None:
        """Take in a part of a step that local rank `rank` has ended."""
        if part.phase == "setup":
            self._forget()
        if part.phase not in STEP_PHASES:
            return
        step = self._open.get(rank)
        if step is None or step.step != part.step:
            step = self._open[rank] = _Step(part.step)
        step.add(part)
        if part.phase == "optimizer":
            self._done[rank].append(self._open.pop(rank))

    def judge(self) -> Straggler | None:
        """Judge the next window, once all ranks have done it; return a rank that is named now for the first time.

        One that was named is named again only after a window in which it was not slow.
        """
        if len(self._done) < 2 or any(len(done) < WINDOW for done in self._done):
            return None
        window = [[done.popleft() for _ in range(WINDOW)] for done in self._done]
        scored = [self._score(rank, window) for rank in range(len(window))]
        persistent = [slow for slow in scored if slow and self._streaks[slow.rank] >= PERSISTENT]
        new = [slow for slow in persistent if slow.rank not in self._named]
        worst = max(new, key=lambda slow: slow.ratio, default=None)
        if worst:  # another one is named after the next window
            self._named.add(worst.rank)
        return worst

    def _score(self, rank: int, window: Sequence[Sequence[_Step]]) -> Straggler | None:
        own = window[rank]
        others = [step for other, steps in enumerate(window) if other != rank for step in steps]
        compared = _compare(rank, own, others)
        if compared.ratio < GONE_RATIO:
            self._named.discard(rank)
        is_slow = compared.score >= LEAST_SCORE and _holds_up(compared, own)
        self._streaks[rank] = self._streaks[rank] + 1 if is_slow else 0
        return compared if is_slow else None

    def _forget(self) -> None:
        """A new generation of ranks may lie on other cores; who is still slow there was named before."""
        self._streaks = [0] * len(self._streaks)
        self._open.clear()
        for done in self._done:
            done.clear()


def _compare(rank: int, own: Sequence[_Step], others: Sequence[_Step]) -> Straggler:
    own_s = median(step.own_s for step in own)
    others_s = max(median(step.own_s for step in others), 1e-9)
    sigma = MAD_TO_SIGMA * median(abs(step.own_s - others_s) for step in others)
    score = (own_s - others_s) / max(sigma, LEAST_SIGMA * others_s)
    ratio = own_s / others_s
    return Straggler(rank=rank, step=own[-1].step, ratio=ratio, own_s=own_s, others_s=others_s, score=score)


def _holds_up(compared: Straggler, own: Sequence[_Step]) -> bool:
    """Say whether a rank is slower than noise makes one, and by enough to hold up the others."""
    is_starved = sum(step.starved_s for step in own) > MOST_STARVED * sum(step.own_s for step in own)
    excess_s, whole_s = compared.own_s - compared.others_s, median(step.whole_s for step in own)
    return (
        compared.ratio >= (STARVED_RATIO if is_starved else LEAST_RATIO) and excess_s >= LEAST_SHARE * whole_s
    )

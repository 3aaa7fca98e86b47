"""Who is slower than the others of its class: medians, their spread, and how much noise there was.

Noise makes a burst slower and never faster, so that a node's speed is the best of its bursts, and how far the next best
ones lie below it is the noise. A node is named when it lies further below its peers than noise and spread explain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from l0_infra.core.units import format_count

__all__ = ["Baseline", "Slowness", "Speeds", "compare_speeds", "find_suspects"]

FLOOR = 0.08
"""Differences below this share are of no account, however small the spread."""
BASELINE_FLOOR = 0.2
YOUNG_BASELINE_FLOOR = 0.4
OLD_ENOUGH = 3
"""Runs before a baseline's own spread is believed."""
NOISES = 4.0
SIGMAS = 4.0
MAD_TO_SIGMA = 1.4826
"""For a normal distribution (Rousseeuw and Croux 1993, section 1)."""
FEWEST = 3
RANK = 4
PLAIN_SHARE = 0.6
BEYOND_NOISE = 0.5
"""A best burst below this share of the others' middle ones is no noise, however much of it there is."""
KEPT_RUNS = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Speeds:
    """The bursts of one node, in any unit in which more is better; none: it could not be measured."""

    node: str
    rounds: tuple[float, ...]

    @property
    def best(self) -> float:
        """The best burst."""
        return max(self.rounds)

    @property
    def noise(self) -> float:
        """How far the fourth best lies below the best, as a share of it: the more bursts, the less."""
        ranked = sorted(self.rounds, reverse=True)
        return 1 - ranked[min(len(ranked), RANK) - 1] / ranked[0]

    @property
    def middle(self) -> float:
        """The middle burst: what a node reaches with all the noise there is."""
        return median(self.rounds)


@dataclass(frozen=True, kw_only=True, slots=True)
class Baseline:
    """Medians of the class in earlier clean runs, the latest last."""

    runs: tuple[float, ...] = ()

    def with_run(self, speeds: Sequence[Speeds]) -> "Baseline":
        """Add a clean run."""
        bests = [one.best for one in speeds if one.rounds]
        return Baseline(runs=(*self.runs, median(bests))[-KEPT_RUNS:]) if bests else self


@dataclass(frozen=True, kw_only=True, slots=True)
class Slowness:
    """How a node compares: its share of what is usual, and the share below which it would be named."""

    share: float
    least: float
    against: str

    @property
    def slow(self) -> bool:
        """Whether it is named."""
        return self.share < self.least

    @property
    def plain(self) -> bool:
        """Whether it is so slow that no further burst could change it."""
        return self.share < self.least * PLAIN_SHARE


def compare_speeds(speeds: Sequence[Speeds], baseline: Baseline) -> Mapping[str, Slowness]:
    """Compare nodes of one class with each other, of fewer than three with the baseline; without one with nothing.

    Nodes that could not be measured, and those that nothing can be said of, are left out.
    """
    measured = [one for one in speeds if one.rounds and one.best > 0]
    if len(measured) >= FEWEST:
        return _among_peers(measured)
    return _against(baseline, measured) if baseline.runs else {}


def find_suspects(
    speeds: Sequence[Speeds], baseline: Baseline, *, settled_at: int | None = None
) -> tuple[str, ...]:
    """Return the nodes that look slow, whether or not noise may explain it: they deserve more bursts first.

    One that is plainly slow after `settled_at` bursts deserves none.
    """
    bursts = {one.node: len(one.rounds) for one in speeds}
    return tuple(
        node
        for node, found in compare_speeds(speeds, baseline).items()
        if found.share < 1 - FLOOR and not (found.plain and settled_at and bursts[node] >= settled_at)
    )


def class_slowness(speeds: Sequence[Speeds], baseline: Baseline) -> Slowness | None:
    """Compare the class as a whole with its own earlier runs; None when there are too few of those.

    Of fewer than three nodes the best one stands for the class.
    """
    measured = [one for one in speeds if one.rounds and one.best > 0]
    if len(baseline.runs) < OLD_ENOUGH or not measured:
        return None
    usual = median(baseline.runs)
    bests = [one.best for one in measured]
    share = (median(bests) if len(bests) >= FEWEST else max(bests)) / usual
    return Slowness(share=share, least=1 - _baseline_limit(measured, baseline), against=_earlier(baseline))


def _among_peers(measured: Sequence[Speeds]) -> Mapping[str, Slowness]:
    bests = [one.best for one in measured]
    usual = median(bests)
    common = max(FLOOR, NOISES * _noise(measured), SIGMAS * _spread(bests) / usual)
    sure = BEYOND_NOISE * median(one.middle for one in measured) / usual
    most = max(len(one.rounds) for one in measured)
    against = f"the median of {len(bests)} nodes"
    found = {}
    for one in measured:
        least = max(sure, 1 - max(common, NOISES * one.noise * one.best / usual))
        if len(one.rounds) < most:
            least *= PLAIN_SHARE  # the others had more chances of a good burst
        found[one.node] = Slowness(share=one.best / usual, least=least, against=against)
    return found


def _against(baseline: Baseline, measured: Sequence[Speeds]) -> Mapping[str, Slowness]:
    usual, limit = median(baseline.runs), _baseline_limit(measured, baseline)
    return {
        one.node: Slowness(share=one.best / usual, least=1 - limit, against=_earlier(baseline))
        for one in measured
    }


def _baseline_limit(measured: Sequence[Speeds], baseline: Baseline) -> float:
    floor = BASELINE_FLOOR if len(baseline.runs) >= OLD_ENOUGH else YOUNG_BASELINE_FLOOR
    spread = SIGMAS * _spread(baseline.runs) / median(baseline.runs)
    return max(floor, NOISES * _noise(measured), spread)


def _earlier(baseline: Baseline) -> str:
    return format_count(len(baseline.runs), "earlier clean run")


def _noise(measured: Sequence[Speeds]) -> float:
    """Return the middle noise of the nodes that were measured most."""
    most = max(len(one.rounds) for one in measured)
    return median(one.noise for one in measured if len(one.rounds) == most)


def _spread(values: Sequence[float]) -> float:
    """Return the standard deviation that the median absolute deviation stands for."""
    middle = median(values)
    return MAD_TO_SIGMA * median(abs(value - middle) for value in values)

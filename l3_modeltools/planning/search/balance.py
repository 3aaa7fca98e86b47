"""How many layers each pipeline stage holds: the exact minimiser of a step that waits for its slowest stage.

A step takes  count · max_p w_p + (Σ_p z_p - z_slowest) / vp + rest(slowest)  seconds: the slowest stage works through
all micro batches, the others show once while the pipeline fills and drains (arXiv:2104.04473, section 2.2), and what is
done once a step follows from what the slowest stage holds. So for each possible value of the maximum, in ascending
order, the smallest Σ z is found among tables that stay below it, by dynamic programming over the layers dealt so far;
no value beyond the point at which the first term alone is too much can win.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Choice", "Dealing", "Slowest", "balanced"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The fastest way for a stage to hold some layers: seconds of a micro batch, and how layers are recomputed.

    `shown` is what it adds while others wait for it; `full` and `selective` are layers by virtual stage.
    """

    seconds: float
    shown: float
    layers: tuple[int, ...]
    full: tuple[int, ...]
    selective: tuple[int, ...]


Choose = Callable[[int, int, int], Choice | None]
"""A stage, the layers before it, its layers → how it holds them; None where they cannot fit."""


@dataclass(frozen=True, slots=True)
class Slowest:
    """Which stage is the first to take as long as any: that one, or any from that one on."""

    stage: int
    further: bool = False


ANY = Slowest(0, further=True)

ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, slots=True)
class Dealing:
    """Layers to be dealt to stages."""

    layers: int
    stages: int
    count: int
    """Micro batches of a step."""
    virtual: int
    """Virtual stages on each stage."""
    fewest: int
    """Layers that a stage holds at least, and at most."""
    most: int
    shown: float
    """Σ z at least, whatever the table."""
    scale: float
    """What a second of this costs, stragglers included, and what is done once a step at least."""
    rest: float
    alike: bool
    """Whether all layers are of one kind, so that it does not matter which of them a stage holds."""
    slowest: tuple["Slowest", ...]
    """What the slowest stage can be, as far as what is done once a step differs."""
    ahead: Callable[[int], Hashable]
    """What layers come after so many, as far as a stage reaches: equal where it can hold the same."""
    choose: Choose


def balanced(
    dealing: Dealing, price: Callable[[tuple[Choice, ...]], float], below: float
) -> tuple[float, tuple[Choice, ...]] | None:
    """The fastest table and its seconds, where there is one that takes no longer than `below`.

    `price` tells a table's exact seconds; it is asked for few. Of tables that take equally long the most even is taken.
    """
    reach = _Reach(dealing, below)
    best: tuple[float, tuple[Choice, ...]] | None = None
    for pace in reach.paces():
        if reach.at_least(pace) > below or (best and reach.at_least(pace) >= best[0]):
            break
        if reach.shows(pace) > (best[0] if best else below):
            continue
        for slowest in dealing.slowest:
            table = reach.table(pace, slowest)
            if table is not None:
                seconds = price(table)
                if seconds <= below and (best is None or seconds < best[0]):
                    best = (seconds, table)
    return best


Held = Sequence[tuple[int, Choice]]
Chain = tuple["Chain", Choice] | None
"""Choices of the stages so far, the last one first to be had."""
Kept = tuple[float, int, Chain]


class _Reach:
    """What can be held where, and how long that takes; every choice is made once."""

    def __init__(self, dealing: Dealing, below: float) -> None:
        self.dealing = dealing
        self.within = (below - dealing.rest) / dealing.scale / dealing.count
        self.held: list[dict[int, Held]] = []
        for p in range(dealing.stages):
            self.held.append(dict(self._stage(p)))
            if not any(self.held[-1].values()):
                break
        self.ways = [list(distinct(stage)) for stage in self.held]
        """What each stage can hold, once."""

    def _stage(self, p: int) -> Iterator[tuple[int, Held]]:
        """What a stage can hold, by the layers before it: the same list where the next layers are the same."""
        known: dict[object, Held] = {}
        for start in self._starts(p):
            key = self.dealing.ahead(start)
            if key not in known:
                known[key] = list(self._choices(p, start))
            yield start, known[key]

    def _starts(self, p: int) -> range:
        one, behind = self.dealing, self.dealing.stages - p
        low = max(p * one.fewest, one.layers - behind * one.most)
        return range(low, min(p * one.most, one.layers - behind * one.fewest) + 1)

    def _choices(self, p: int, start: int) -> Iterator[tuple[int, Choice]]:
        one, others = self.dealing, self.dealing.stages - 1
        fewest = max(one.fewest, one.layers - others * one.most)
        for count in range(fewest, min(one.most, one.layers - start - (others - p) * one.fewest) + 1):
            choice = one.choose(p, start, count)
            if choice is None or choice.seconds > self.within:
                break  # more layers need more of both
            yield count, choice

    def paces(self) -> list[float]:
        """Seconds that the slowest stage can take, ascending, from the first for which there is a table."""
        if not all(any(stage.values()) for stage in self.held):
            return []
        paces = sorted({one.seconds for stage in self.ways for held in stage for _, one in held})
        return paces[bisect_left(paces, True, key=self.feasible) :]

    def feasible(self, pace: float) -> bool:
        """Whether there is a table within that pace; of one kind of layers stages hold any number up to their most."""
        if self._room(pace)[0] < self.dealing.layers:
            return False
        return self.dealing.alike or self.table(pace, ANY) is not None

    def at_least(self, pace: float) -> float:
        """Seconds that a step with this pace takes at least, whatever is done once a step."""
        one = self.dealing
        filled = (one.count - 1 / one.virtual) * pace + one.shown / one.virtual
        return one.scale * max(one.count * pace, filled) + one.rest

    def shows(self, pace: float) -> float:
        """Seconds at least by what tables within this pace show; none shows more than it works."""
        one, table = self.dealing, self.table(pace, ANY)
        if table is None:
            return float("inf")
        waits = max(0.0, sum(stage.shown for stage in table) - pace) / one.virtual
        return (one.scale * (one.count * pace + waits) + one.rest) * (1 - ROUNDING)

    def table(self, pace: float, slowest: Slowest) -> tuple[Choice, ...] | None:
        """The table within that pace that shows least while the slowest stage waits, then the most even one."""
        room = self._room(pace)
        if room[0] < self.dealing.layers:
            return None
        known: dict[int, Kept] = {0: (0.0, 0, None)}
        for p, stage in enumerate(self.held):
            lowest, further = self.dealing.layers - room[p + 1], dict[int, Kept]()
            waits = p != slowest.stage or slowest.further
            for start, (shown, spread, chain) in known.items():
                for count, choice in _within(stage.get(start, ()), pace, p, slowest):
                    end = start + count
                    if end < lowest:
                        continue
                    so_far, wide = shown + choice.shown * waits, spread + count * count
                    other = further.get(end)
                    if other is None or (so_far, wide) < other[:2]:
                        further[end] = (so_far, wide, (chain, choice))
            known = further
        found = known.get(self.dealing.layers)
        return _unrolled(found[2]) if found else None

    def _room(self, pace: float) -> list[int]:
        """Most layers that the stages from each one on can hold together."""
        room = [0]
        for stage in reversed(self.ways):
            most = max((held[at - 1][0] for held in stage if (at := _fitting(held, pace))), default=0)
            room.append(room[-1] + most)
        return room[::-1]


def _unrolled(chain: Chain) -> tuple[Choice, ...]:
    table: list[Choice] = []
    while chain is not None:
        chain, choice = chain
        table.append(choice)
    return tuple(reversed(table))


def distinct(stage: dict[int, Held]) -> Iterable[Held]:
    """What a stage can hold; of one kind of layers that is the same whatever is before them."""
    return {id(held): held for held in stage.values()}.values()


def _fitting(held: Held, pace: float) -> int:
    return bisect_right(held, pace, key=lambda one: one[1].seconds)


def _within(held: Held, pace: float, p: int, slowest: Slowest) -> Held:
    fitting = held[: _fitting(held, pace)]
    if p < slowest.stage:
        return [one for one in fitting if one[1].seconds < pace]
    if p == slowest.stage and not slowest.further:
        return [one for one in fitting if one[1].seconds == pace]
    return fitting

"""When each turn begins and ends: a turn waits for its rank, and for the turn whose result it works on."""

from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from l3_modeltools.planning.schedule.order import Turn, most_kept, turns_of

__all__ = ["Event", "Pace", "Timeline", "simulate"]

Table = tuple[tuple[float, ...], ...]

LONG_ENOUGH = 0.5
"""Share of what is put off for which a gap is used: what sticks out is made up for by the next gap."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """Seconds of a turn by [v][p]; `weights` is the part of `backward` that zero bubble puts off, `W`."""

    forward: Table
    backward: Table
    weights: Table
    hand_over: float = 0.0
    """Between two stages, one way."""


@dataclass(frozen=True, slots=True)
class Event:
    """A turn of a rank, in seconds from the begin of the step."""

    kind: Literal["F", "B", "W"]
    batch: int
    chunk: int
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """What every rank does, in order of time."""

    ranks: tuple[tuple[Event, ...], ...]

    @property
    def length(self) -> float:
        """From the first turn's begin to the last one's end."""
        return max((events[-1].end for events in self.ranks if events), default=0.0)

    def idle(self, rank: int) -> float:
        """Share of the step in which a rank waits."""
        return 1.0 - sum(event.end - event.start for event in self.ranks[rank]) / self.length

    def held(self, rank: int) -> int:
        """Micro batches, counted by virtual stage, that a rank keeps activations of at its fullest moment.

        They are given free at the end of a backward turn, or of `W` where there is one.
        """
        frees = "W" if any(event.kind == "W" for event in self.ranks[rank]) else "B"
        moments = [(event.start, 1) for event in self.ranks[rank] if event.kind == "F"]
        moments += [(event.end, -1) for event in self.ranks[rank] if event.kind == frees]
        now = most = 0
        for _, change in sorted(moments):
            now += change
            most = max(most, now)
        return most


@dataclass
class Rank:
    """One rank on its way through its turns."""

    turns: deque[Turn]
    free_s: float = 0.0
    events: list[Event] = field(default_factory=list)
    put_off: deque[Turn] = field(default_factory=deque)
    kept: int = 0
    """Forward turns whose activations are not given free yet."""

    def do(self, kind: Literal["F", "B", "W"], turn: Turn, start: float, seconds: float) -> float:
        """Note a turn; return its end."""
        self.events.append(Event(kind, turn.batch, turn.chunk, start, start + seconds))
        self.free_s = start + seconds
        self.kept += {"F": 1, "B": 0, "W": -1}[kind]
        return self.free_s


class _Run:
    """The state of a simulation; `done` has the ends of turns by kind, micro batch, virtual stage and rank."""

    def __init__(self, pace: Pace, schedule: str, batches: int) -> None:
        self.pace, self.split = pace, schedule == "zero_bubble"
        self.vp, self.pp = len(pace.forward), len(pace.forward[0])
        self.most = most_kept(self.pp, self.vp, batches)
        self.done: dict[tuple[str, int, int, int], float] = {}
        self.ranks = [Rank(deque(turns_of(rank, self.pp, self.vp, batches))) for rank in range(self.pp)]

    def go(self) -> Timeline:
        while any(rank.turns for rank in self.ranks):
            if sum(self._advance(p) for p in range(self.pp)) == 0:
                raise ValueError("a schedule that waits for itself")
        for p, rank in enumerate(self.ranks):
            while rank.put_off:
                self._weights(p, rank)
        return Timeline(tuple(tuple(rank.events) for rank in self.ranks))

    def _advance(self, p: int) -> bool:
        """Take turns of a rank until one is not ready; return whether any was taken."""
        rank, begun = self.ranks[p], len(self.ranks[p].turns)
        while rank.turns and (ready := self._ready(rank.turns[0], p)) is not None:
            turn = rank.turns.popleft()
            self._fill(p, rank, ready, turn)
            start = max(rank.free_s, ready)
            self.done[turn.kind, turn.batch, turn.chunk, p] = rank.do(
                turn.kind, turn, start, self._seconds(turn, p)
            )
            if self.split and turn.kind == "B":
                rank.put_off.append(turn)
        return len(rank.turns) < begun

    def _fill(self, p: int, rank: Rank, ready: float, turn: Turn) -> None:
        """Work off gradients of weights where the gap before a turn is long enough, or where they must be.

        No more activations are kept than the first rank does before its first backward turn.
        """
        while rank.put_off and (
            rank.free_s + LONG_ENOUGH * self.pace.weights[rank.put_off[0].chunk][p] <= ready
            or (turn.kind == "F" and rank.kept >= self.most)
        ):
            self._weights(p, rank)

    def _weights(self, p: int, rank: Rank) -> None:
        turn = rank.put_off.popleft()
        rank.do("W", turn, rank.free_s, self.pace.weights[turn.chunk][p])

    def _seconds(self, turn: Turn, p: int) -> float:
        if turn.kind == "F":
            return self.pace.forward[turn.chunk][p]
        whole = self.pace.backward[turn.chunk][p]
        return whole - self.pace.weights[turn.chunk][p] if self.split else whole

    def _ready(self, turn: Turn, p: int) -> float | None:
        """When what a turn works on is there; None while that is not known."""
        before = self._before(turn, p)
        if before is None:
            return 0.0
        end = self.done.get(before)
        if end is None:
            return None
        return end if before[3] == p else end + self.pace.hand_over

    def _before(self, turn: Turn, p: int) -> tuple[str, int, int, int] | None:
        chunk = turn.chunk
        if turn.kind == "F":
            if p > 0:
                return "F", turn.batch, chunk, p - 1
            return ("F", turn.batch, chunk - 1, self.pp - 1) if chunk > 0 else None
        if p < self.pp - 1:
            return "B", turn.batch, chunk, p + 1
        return ("B", turn.batch, chunk + 1, 0) if chunk < self.vp - 1 else ("F", turn.batch, chunk, p)


def simulate(pace: Pace, schedule: str, batches: int) -> Timeline:
    """Work a step out, turn by turn. Raises ValueError for tables of different shapes."""
    shapes = {tuple(map(len, table)) for table in (pace.forward, pace.backward, pace.weights)}
    if len(shapes) != 1 or len(set(next(iter(shapes)))) != 1:
        raise ValueError(f"tables of different shapes: {sorted(shapes)}")
    return _Run(pace, schedule, batches).go()

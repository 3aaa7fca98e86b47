"""Which rank stopped first, where, and how that is known: a run in which one rank waits for ever waits as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass

from l3_modeltools.resilience.heartbeat import Beat, Phase
from l3_modeltools.resilience.limits import Limits
from l3_modeltools.resilience.threads import ThreadState
from l3_modeltools.resilience.track import Track, begin_track

__all__ = ["Hang", "HangWatch"]

ORDER: tuple[Phase, ...] = ("setup", "data", "forward", "backward", "optimizer", "validate", "save", "paused")
"""In which a step goes through its phases."""

LONGEST_GAP_S = 0.5
"""Between two looks. What is above it does not count: the watch itself did not run and so, it may be, did nobody, as
the virtual machine was paused or the job suspended.
"""

GRACE_SHARE = 0.5
"""Of its limit, which a rank has at least since others were behind it: it waited for them and is not to blame yet."""

STATES = {
    "R": "runs or waits for a CPU",
    "S": "sleeps",
    "D": "waits for storage",
    "T": "is stopped by a signal",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Hang:
    """Ranks do not move any more."""

    suspects: tuple[int, ...]
    """Ranks that stopped first, most likely first; more than one when nothing but their stacks can tell."""
    occurred_at_s: float
    """Last sign of life of the first suspect, seconds of CLOCK_MONOTONIC."""
    phase: Phase
    step: int
    limit_s: float
    is_stopped: bool
    """Whether a signal stopped the first suspect, so that it waits for nothing."""
    evidence: tuple[tuple[int, str], ...]
    """For each rank that takes part, by rank: a sentence on where it is."""


class HangWatch:
    """Looks at the ranks ten times a second and says when they hang.

    The rank that is furthest behind is judged, as the others wait for it; one that was stopped by a signal is judged
    wherever it is. It hangs when it was silent for `Limits.limit_s`: no new phase, and no CPU used or asked for. A
    rank that works on without a new phase is slow, and hangs after 4 times the limit + 30 s. While a rank is `paused`,
    held by a debugger or gone, the others wait for it and no time counts; but who is stopped by a signal does not
    pause. Two looks in a row must agree.

    So detection comes within the limit and two looks of the last sign of life, as long as this watch runs and the
    ranks are not further apart than half a limit.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._tracks: dict[int, Track] = {}
        self._looked_at_s: float | None = None
        self._found: tuple[int, ...] = ()
        self._stopped: set[int] = set()

    def look(
        self, now_s: float, beats: Mapping[int, Beat], states: Mapping[int, ThreadState | None]
    ) -> Hang | None:
        """Return a hang that this look and the one before agree on; `now_s` is CLOCK_MONOTONIC.

        A rank without a state, or a zombie, is gone: the others wait for it, too, but that is told by its end.
        """
        taking_part = {rank: states.get(rank) for rank in sorted(beats) if beats[rank].phase != "ended"}
        there = {rank: state for rank, state in taking_part.items() if state and state.state not in "Zt"}
        held = len(there) < len(taking_part) or any(
            beats[rank].phase == "paused" and state.state != "T" for rank, state in there.items()
        )
        self._follow(now_s, beats, there, held=held)
        self._stopped = {rank for rank, state in there.items() if state.state == "T"}
        suspects = () if held or not there else self._suspects(now_s, there)
        agreed, self._found = suspects == self._found, suspects
        return self._tell(now_s, suspects, there) if suspects and agreed else None

    def _follow(
        self, now_s: float, beats: Mapping[int, Beat], states: Mapping[int, ThreadState], *, held: bool
    ) -> None:
        gap_s = 0.0 if self._looked_at_s is None else now_s - self._looked_at_s
        self._looked_at_s = now_s
        counted_s = min(gap_s, LONGEST_GAP_S)
        for rank, state in states.items():
            beat, track = beats[rank], self._tracks.get(rank)
            if track is None or track.beat != beat:
                began_s = beat.since_s if track is None else max(beat.since_s, now_s - counted_s)
                self._tracks[rank] = begin_track(beat, state, began_s, before=track)
            else:
                track.put_off(gap_s if held else gap_s - counted_s)
                track.use(now_s, counted_s, state)

    def _suspects(self, now_s: float, states: Mapping[int, ThreadState]) -> tuple[int, ...]:
        """Return who was stopped and is silent for too long; else who is furthest behind, if one of these is."""
        stopped = [rank for rank in self._stopped if self._is_silent(now_s, rank)]
        if stopped:
            return tuple(sorted(stopped, key=self._place))
        hindmost = min(self._place(rank) for rank in states)
        for rank in states:
            if self._place(rank) > hindmost:
                self._tracks[rank].ahead_at_s = now_s
        behind = [rank for rank in states if self._place(rank) == hindmost]
        if not any(self._is_silent(now_s, rank) for rank in behind):
            return ()
        if not all(self._had_grace(now_s, rank) for rank in behind):
            return ()
        return tuple(sorted(behind, key=lambda rank: self._tracks[rank].alive_at_s))

    def _place(self, rank: int) -> tuple[int, int]:
        beat = self._tracks[rank].beat
        return beat.step, ORDER.index(beat.phase)

    def _is_silent(self, now_s: float, rank: int) -> bool:
        limit_s = self._limit_s(rank)
        return now_s - self._tracks[rank].silent_since_s(now_s, limit_s) > limit_s

    def _had_grace(self, now_s: float, rank: int) -> bool:
        limit_s, track = self._limit_s(rank), self._tracks[rank]
        begun_s = max(track.silent_since_s(now_s, limit_s), track.ahead_at_s)
        return now_s - begun_s > GRACE_SHARE * limit_s

    def _limit_s(self, rank: int) -> float:
        """Return a rank's limit; one that is stopped does not wait for its data."""
        track = self._tracks[rank]
        waits_not = rank in self._stopped and track.beat.phase == "data"
        return self._limits.limit_s("forward" if waits_not else track.beat.phase, first=track.is_first)

    def _tell(self, now_s: float, suspects: tuple[int, ...], states: Mapping[int, ThreadState]) -> Hang:
        first = self._tracks[suspects[0]]
        return Hang(
            suspects=suspects,
            occurred_at_s=first.alive_at_s,
            phase=first.beat.phase,
            step=first.beat.step,
            limit_s=self._limit_s(suspects[0]),
            is_stopped=suspects[0] in self._stopped,
            evidence=tuple((rank, self._sentence(now_s, rank, state)) for rank, state in states.items()),
        )

    def _sentence(self, now_s: float, rank: int, state: ThreadState) -> str:
        track = self._tracks[rank]
        beat, does = track.beat, STATES.get(state.state, f"is in state {state.state}")
        return (
            f"in {beat.phase} of step {beat.step} for {now_s - track.moved_at_s:.1f} s, where"
            f" {self._limit_s(rank):.1f} s is the limit; its main thread {does}"
        )

"""What one rank did since it last said where it is: whether it works, and since when it does not."""

from dataclasses import dataclass

from l3_modeltools.resilience.heartbeat import Beat
from l3_modeltools.resilience.threads import ThreadState

__all__ = ["Track", "begin_track"]

AWAKE_SHARE, AWAKE_S = 0.1, 0.25
"""A rank works that uses, or waits for, more of a CPU than this share, and a quarter of a second at once; a wait that
wakes up now and then to look around stays below it.
"""

SLOW_FACTOR, SLOW_SLACK_S = 4.0, 30.0
"""A rank that works may take so much longer than one that sleeps."""


@dataclass(slots=True)
class Track:
    """A rank since its last beat. Times are seconds of CLOCK_MONOTONIC, and are put off while time does not count."""

    beat: Beat
    cpu_s: float
    is_first: bool
    """In its first step after its start."""
    moved_at_s: float
    """When its phase began."""
    alive_at_s: float
    """When it was last known to work."""
    ahead_at_s: float
    """When it was last known to be ahead of another rank."""
    awake_s: float = 0.0

    def put_off(self, seconds: float) -> None:
        """Let so many seconds not count."""
        self.moved_at_s += seconds
        self.alive_at_s += seconds
        self.ahead_at_s += seconds

    def use(self, now_s: float, seconds: float, state: ThreadState) -> None:
        """Take in what the rank did in the last `seconds`."""
        used_s = max(state.cpu_s - self.cpu_s, seconds if state.state == "R" else 0.0)
        self.cpu_s = state.cpu_s
        self.awake_s = max(self.awake_s - AWAKE_SHARE * seconds, 0.0) + used_s
        if self.awake_s > AWAKE_S:
            self.alive_at_s, self.awake_s = now_s, 0.0

    def silent_since_s(self, now_s: float, limit_s: float) -> float:
        """Return when it last worked; work that goes on too long without a new phase does not count."""
        is_slow = now_s - self.moved_at_s > SLOW_FACTOR * limit_s + SLOW_SLACK_S
        return self.moved_at_s if is_slow else self.alive_at_s


def begin_track(beat: Beat, state: ThreadState, at_s: float, *, before: Track | None) -> Track:
    """Begin with a new beat; the step that comes after `setup` stays the first until another one begins."""
    is_first = (
        before is None
        or "setup" in (beat.phase, before.beat.phase)
        or (before.is_first and beat.step == before.beat.step)
    )
    return Track(
        beat=beat, cpu_s=state.cpu_s, is_first=is_first, moved_at_s=at_s, alive_at_s=at_s, ahead_at_s=at_s
    )

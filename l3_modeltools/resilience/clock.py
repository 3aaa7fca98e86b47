"""A clock that is set while a run goes on spoils every time that is told; so it is told itself."""

import time
from dataclasses import dataclass

__all__ = ["ClockWatch", "Jump", "read_clocks"]

LEAST_S = 1.0
"""A clock that is slewed by NTP gains at most half a millisecond a second; less than this is not worth a word."""

TRIES = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Jump:
    """How the clock on the wall was set, and what both clocks showed when that was noticed."""

    seconds: float
    """Above zero: forward, also while the machine was suspended, which CLOCK_MONOTONIC does not count."""
    at: float
    monotonic_s: float
    late_s: float
    """It was set so long before, at most."""


class ClockWatch:
    """Compares the clock on the wall with the one that cannot be set."""

    def __init__(self) -> None:
        self._before: tuple[float, float] | None = None

    def look(self, wall_s: float, monotonic_s: float) -> Jump | None:
        """Return how the wall clock was set since the last look; None: by one second at most."""
        before, self._before = self._before, (wall_s, monotonic_s)
        if before is None:
            return None
        passed_s = monotonic_s - before[1]
        seconds = wall_s - before[0] - passed_s
        if abs(seconds) <= LEAST_S:
            return None
        return Jump(seconds=seconds, at=wall_s, monotonic_s=monotonic_s, late_s=passed_s)


def read_clocks() -> tuple[float, float]:
    """Read the clock on the wall and the one that cannot be set as of the same moment.

    A process that has to wait between the two would find a jump where there is none: the closest of some tries counts.
    """
    _, wall_s, monotonic_s = min(_read_both() for _ in range(TRIES))
    return wall_s, monotonic_s


def _read_both() -> tuple[float, float, float]:
    """Return how long it took, and what the clocks showed."""
    begun_s = time.monotonic()
    wall_s = time.time()
    ended_s = time.monotonic()
    return ended_s - begun_s, wall_s, (begun_s + ended_s) / 2

"""A clock that is set while a run goes on spoils every time that is told; so it is told itself."""

__all__ = ["ClockWatch"]

LEAST_S = 1.0
"""A clock that is slewed by NTP gains at most half a millisecond a second; less than this is not worth a word."""


class ClockWatch:
    """Compares the clock on the wall with the one that cannot be set."""

    def __init__(self) -> None:
        self._offset_s: float | None = None

    def look(self, wall_s: float, monotonic_s: float) -> float | None:
        """Return by how many seconds the wall clock jumped since the last look; None: by one second at most.

        Above zero: forward, also while the machine was suspended, which CLOCK_MONOTONIC does not count.
        """
        offset_s, before_s = wall_s - monotonic_s, self._offset_s
        self._offset_s = offset_s
        if before_s is None or abs(offset_s - before_s) <= LEAST_S:
            return None
        return offset_s - before_s

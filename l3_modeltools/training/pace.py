"""How long things take in this run so far, and what of that is unusual or affordable. Pure."""

from collections.abc import Sequence
from statistics import median

from l3_modeltools.resilience import Rhythm

__all__ = ["CopyRhythm", "Pace", "SlowWatch"]


class CopyRhythm:
    """Says when a copy of the state in memory can be afforded: `share` of the time goes into copies, no more."""

    def __init__(self, share: float = 0.005) -> None:
        self._share = share
        self._saved_up_s = 0.0
        self._copy_s: float | None = 0.0

    def stepped(self, seconds: float) -> None:
        """Take in how long a step took."""
        self._saved_up_s += self._share * seconds

    def copied(self, seconds: float | None) -> None:
        """Take in how long a copy took; None: there can be none."""
        self._saved_up_s -= seconds or 0.0
        self._copy_s = seconds

    @property
    def is_due(self) -> bool:
        """Whether a copy as long as the last one is paid for; the first is, and shows what one costs."""
        return self._copy_s is not None and self._saved_up_s > self._copy_s


class SlowWatch:
    """Tells a save that takes far longer than those before it."""

    def __init__(self) -> None:
        self._told = 0

    def is_slow(self, seconds: float, before: Sequence[float]) -> bool:
        """Say whether a save is above 30 seconds and five times the median of those before, once for each.

        The first of all is slow above two minutes.
        """
        if len(before) < self._told or seconds <= (max(30.0, 5 * median(before)) if before else 120.0):
            return False
        self._told = len(before) + 1
        return True


class Pace:
    """What the time of steps and saves decides in a training loop."""

    def __init__(self, saves: Rhythm | None) -> None:
        """Take what says when a save is due; None: it is due every so many steps, whatever it costs."""
        self.saves, self.copies = saves, CopyRhythm()
        self._since_save = 0

    def stepped(self, seconds: float) -> None:
        """Take in how long a step took."""
        self._since_save += 1
        self.copies.stepped(seconds)
        if self.saves is not None:
            self.saves.stepped(seconds)

    def saved(self, seconds: float) -> None:
        """Take in how long a save held the loop up."""
        self._since_save = 0
        if self.saves is not None:
            self.saves.saved(seconds)

    @property
    def is_save_due(self) -> bool:
        """Whether the state is to be saved after the step that begins."""
        return self.saves is not None and self.saves.is_due(self._since_save + 1)

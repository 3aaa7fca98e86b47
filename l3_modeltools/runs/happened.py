"""What starts, marks and faults of a run say together: its restarts, what it waits for, why it gave up."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from l3_modeltools.runs.exits import GAVE_UP
from l3_modeltools.runs.journal import Mark
from l3_modeltools.schemas import TrainingFault

__all__ = ["Happened"]

GOES_ON = ("went_on", "spawned", "supervised", "ended")
BEGINS = ("spawned", "supervised")


@dataclass(frozen=True, kw_only=True, slots=True)
class Happened:
    """What happened to a run, each part in order of time."""

    starts: Sequence[float] = ()
    """When attempts of all its jobs began, in seconds since the epoch."""
    ends: Sequence[float] = ()
    """When attempts ended."""
    submissions: Sequence[float] = ()
    """When its jobs were submitted, those that are still known."""
    marks: Sequence[Mark] = ()
    faults: tuple[TrainingFault, ...] = ()

    @property
    def restarts(self) -> tuple[float, ...]:
        """When it was started again, each once: later attempts and jobs, and ranks that a fault had stopped.

        An attempt whose start is not known any more is known by its supervisor's mark.
        """
        in_place, begun = [], list(self.starts)
        before, first = 0.0, True
        for mark in self.marks:
            if mark.mark == "supervised":
                known = bisect_right(self.starts, mark.at) > bisect_right(self.starts, before)
                begun += [] if known else [mark.at]
                before, first = mark.at, True
            elif mark.mark == "spawned":
                in_place += [mark.at] if mark.fault_id is not None and not first else []
                first = False
        return tuple(sorted([*sorted(begun)[1:], *in_place]))

    @property
    def pause(self) -> Mark | None:
        """The mark of what it waits for; None while it waits for nothing."""
        paused = None
        for mark in self.marks:
            if mark.mark == "paused":
                paused = mark
            elif mark.mark in GOES_ON:
                paused = None
        return None if paused is None or self._started_after(paused.at) else paused

    @property
    def verdict(self) -> str | None:
        """Why it gave up, in a sentence or two; None when it did not, or began again since."""
        told = [mark for mark in self.marks if mark.mark == "ended" or mark.mark in BEGINS]
        if not told or told[-1].mark != "ended" or told[-1].exit_code != GAVE_UP:
            return None
        ended = told[-1]
        if self._started_after(ended.at):
            return None
        fault = next((fault for fault in self.faults if fault.fault_id == ended.fault_id), None)
        reasons = (fault.summary or fault.fault_class if fault else "", ended.text)
        return "; ".join(dict.fromkeys(filter(None, reasons))) or "it gave no reason"

    def _started_after(self, at: float) -> bool:
        return any(start > at for start in self.starts)

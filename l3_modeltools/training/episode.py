"""A time in which the disk does not take what a run has to write, told once however often it is tried."""

from l3_modeltools.checkpoint import StorageError
from l3_modeltools.schemas import Evidence, FaultAction, TrainingFault
from l3_modeltools.training.logbook import Logbook, Noted

__all__ = ["Episode"]


class Episode:
    """One such time, which began in `step`; `what` says what could not be done: `a checkpoint could not be saved`."""

    def __init__(self, logbook: Logbook, step: int, what: str) -> None:
        self.logbook, self.step, self.what = logbook, step, what
        self.fault: TrainingFault | None = None
        self.is_told = self.is_paused = False

    def tell(self, failure: StorageError, action: FaultAction) -> None:
        """Tell of the fault, and of what is done about it now."""
        if not self.is_told:
            self.fault = self.logbook.report(_noted(self.what, failure, action))
            self.is_told = True
        elif self.fault is not None:
            self.logbook.took(self.fault, action)
        if action == "pause" and not self.is_paused:
            self.is_paused = True
            fault_id = self.fault.fault_id if self.fault else None
            self.logbook.mark("paused", step=self.step, fault_id=fault_id, text=failure.found)
            self.logbook.say(f"paused: {failure.found}; goes on by itself when the disk takes it")

    def end(self) -> None:
        """Tell that it is done."""
        if self.is_paused:
            self.logbook.mark("went_on", step=self.step)
            self.logbook.say("goes on")


def _noted(what: str, failure: StorageError, action: FaultAction) -> Noted:
    read_only = failure.cause == "read_only"
    return Noted(
        fault_class="storage_read_only" if read_only else "storage_full",
        summary=f"{what}: {failure.found}",
        evidence=[Evidence(source="file", text=str(failure))],
        advised="pause" if read_only else "free_space",
        taken=action,
    )

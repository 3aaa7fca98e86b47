"""What the supervisor tells of a run: to its files, to its log, to whoever wants to hear of faults."""

import contextlib
import os
import sys
import time
from pathlib import Path

from l3_modeltools.resilience.notify import Notifier
from l3_modeltools.runs import Mark, append_mark, read_faults, read_marks, report_fault, revise_fault
from l3_modeltools.schemas import RunState, TrainingFault

__all__ = ["Journal", "say"]


class Journal:
    """The journal of one run. A disk that takes nothing costs the word, never the run."""

    def __init__(self, directory: Path, notifier: Notifier) -> None:
        self._directory, self._notifier = directory, notifier

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The run's timeline."""
        return read_marks(self._directory)

    @property
    def faults(self) -> tuple[TrainingFault, ...]:
        """The run's faults, those too that its ranks reported."""
        return read_faults(self._directory)

    def supervised(self) -> None:
        """Note that a supervisor begins."""
        self._mark(Mark(at=time.time(), mark="supervised"))

    def spawned(self, because_of: TrainingFault | None) -> None:
        """Note that the ranks are started, again where a fault made it necessary."""
        fault_id = because_of.fault_id if because_of else None
        self._mark(Mark(at=time.time(), mark="spawned", fault_id=fault_id))

    def ended(self, exit_code: int, because_of: TrainingFault | None, reason: str) -> None:
        """Note that the supervisor ends."""
        fault_id = because_of.fault_id if because_of else None
        self._mark(Mark(at=time.time(), mark="ended", exit_code=exit_code, fault_id=fault_id, text=reason))

    def report(self, fault: TrainingFault) -> TrainingFault:
        """Give a new fault its number."""
        try:
            return report_fault(self._directory, fault)
        except OSError as error:
            say(f"the fault cannot be written down: {error.strerror}")
            return fault

    def revise(self, fault: TrainingFault) -> None:
        """Say more of a fault."""
        with contextlib.suppress(OSError):
            revise_fault(self._directory, fault)

    def announce(self, fault: TrainingFault, *, what_follows: str = "") -> None:
        """Tell people of a fault."""
        text = f"{fault.summary}; {what_follows}" if what_follows else fault.summary
        say(f"fault {fault.fault_id}: {text}")
        self._notifier.tell("fault", text=text, step=fault.step, fault=fault)

    def finish(self, state: RunState, text: str, *, step: int | None, fault: TrainingFault | None) -> None:
        """Tell people of the end, and wait until they were told, or could not be."""
        self._notifier.tell("finish", text=text, state=state, step=step, fault=fault)
        self._notifier.close()

    def _mark(self, mark: Mark) -> None:
        with contextlib.suppress(OSError):
            append_mark(self._directory, mark)


def say(text: str | bytes) -> None:
    """Write to standard output, at once and whole, whatever it is."""
    rest = f"{text}\n".encode() if isinstance(text, str) else text
    with contextlib.suppress(BrokenPipeError):
        while rest:
            rest = rest[os.write(sys.stdout.fileno(), rest) :]

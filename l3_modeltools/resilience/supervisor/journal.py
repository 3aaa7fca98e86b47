"""What the supervisor tells of a run: to its files, to its log, to whoever wants to hear of faults."""

import contextlib
import os
import sys
import time
from pathlib import Path

from msgspec.structs import replace

from l3_modeltools.resilience.clock import Jump
from l3_modeltools.resilience.notify import Notifier
from l3_modeltools.runs import Mark, append_mark, read_faults, read_marks, report_fault, revise_fault
from l3_modeltools.schemas import RunState, TrainingFault

__all__ = ["Journal", "say"]


class Journal:
    """The journal of one run. What the disk refuses is remembered, counts, and is written when the disk takes it."""

    def __init__(self, directory: Path, notifier: Notifier) -> None:
        self._directory, self._notifier = directory, notifier
        self._late_marks: list[Mark] = []
        self._late_faults: dict[int, TrainingFault] = {}
        """By number; as they were told last."""

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The run's timeline."""
        try:
            written = read_marks(self._directory)
        except OSError:
            written = ()
        return (*written, *self._late_marks)

    @property
    def faults(self) -> tuple[TrainingFault, ...]:
        """The run's faults by number, those too that its ranks reported."""
        try:
            written = read_faults(self._directory)
        except OSError:
            written = ()
        known = {fault.fault_id: fault for fault in written} | self._late_faults
        return tuple(known[number] for number in sorted(known))

    def supervised(self) -> None:
        """Note that a supervisor begins."""
        self._mark(Mark(at=time.time(), monotonic_s=time.monotonic(), mark="supervised"))

    def spawned(self, because_of: TrainingFault | None) -> None:
        """Note that the ranks are started, again where a fault made it necessary."""
        fault_id = because_of.fault_id if because_of else None
        self._mark(Mark(at=time.time(), monotonic_s=time.monotonic(), mark="spawned", fault_id=fault_id))

    def clock_set(self, jump: Jump, told_as: TrainingFault) -> None:
        """Note that the clock of the node was set."""
        mark = Mark(
            at=jump.at,
            mark="clock_set",
            monotonic_s=jump.monotonic_s,
            seconds=jump.seconds,
            late_s=jump.late_s,
            fault_id=told_as.fault_id,
        )
        self._mark(mark)

    def ended(self, exit_code: int, because_of: TrainingFault | None, reason: str) -> None:
        """Note that the supervisor ends."""
        fault_id = because_of.fault_id if because_of else None
        mark = Mark(
            at=time.time(),
            mark="ended",
            monotonic_s=time.monotonic(),
            exit_code=exit_code,
            fault_id=fault_id,
            text=reason,
        )
        self._mark(mark)

    def report(self, fault: TrainingFault) -> TrainingFault:
        """Give a new fault its number."""
        self._catch_up()
        try:
            return report_fault(self._directory, fault)
        except OSError as error:
            say(f"the fault cannot be written down yet: {error.strerror}")
        known = self.faults
        late = replace(fault, fault_id=known[-1].fault_id + 1 if known else 1)
        self._late_faults[late.fault_id] = late
        return late

    def revise(self, fault: TrainingFault) -> None:
        """Say more of a fault."""
        self._late_faults[fault.fault_id] = fault
        self._catch_up()

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
        self._late_marks.append(mark)
        self._catch_up()

    def _catch_up(self) -> None:
        """Write what is late, in order, as far as the disk takes it."""
        with contextlib.suppress(OSError):
            while self._late_faults:
                number = min(self._late_faults)
                revise_fault(self._directory, self._late_faults[number])
                del self._late_faults[number]
            while self._late_marks:
                append_mark(self._directory, self._late_marks[0])
                del self._late_marks[0]


def say(text: str | bytes) -> None:
    """Write to standard output, at once and whole, whatever it is; a log that takes nothing costs the text."""
    rest = f"{text}\n".encode() if isinstance(text, str) else text
    with contextlib.suppress(OSError):
        while rest:
            rest = rest[os.write(sys.stdout.fileno(), rest) :]

"""What the first rank writes down of the run: marks of its timeline and faults, also while the disk takes nothing."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

import msgspec

from l3_modeltools.resilience import Heart, section_of
from l3_modeltools.runs import Mark, MarkWord, Source, append_mark, read_faults, report_fault, revise_fault
from l3_modeltools.schemas import Evidence, FaultAction, FaultClass, Section, Suspect, TrainingFault

__all__ = ["Logbook", "Noted"]


class Noted(msgspec.Struct, frozen=True, kw_only=True):
    """What the training loop knows of a fault; its time, its place in the loop and its number are added."""

    fault_class: FaultClass
    summary: str
    evidence: Sequence[Evidence]
    advised: FaultAction
    taken: FaultAction
    suspects: Sequence[int] = ()
    """Ranks, most likely first."""
    section: Section | None = None
    """Where in the loop; None: where the loop is now."""
    lasted_s: float = 0.0
    """How long before now it began."""


class Logbook:
    """Writes for the chief; the other ranks have one that writes nothing. What the disk refuses is written later."""

    def __init__(self, directory: Path, run: str, heart: Heart, *, say: Callable[[str], None] | None) -> None:
        """Take the run; `say` prints for people, None: this is not the chief's."""
        self.directory, self.run, self.heart = directory, run, heart
        self._say = say
        self._late: list[Callable[[], object]] = []
        self._alone = Lock()  # saves are marked from the thread that saves

    def say(self, line: str) -> None:
        """Print a line for people."""
        if self._say is not None:
            self._say(line)

    def mark(
        self,
        word: MarkWord,
        *,
        step: int | None = None,
        seconds: float | None = None,
        source: Source | None = None,
        fault_id: int | None = None,
        text: str = "",
    ) -> None:
        """Add a mark to the timeline."""
        mark = Mark(
            at=time.time(),
            monotonic_s=time.monotonic(),
            mark=word,
            step=step,
            seconds=seconds,
            source=source,
            fault_id=fault_id,
            text=text,
        )
        self._write(lambda: append_mark(self.directory, mark))

    def report(self, noted: Noted) -> TrainingFault | None:
        """Report a fault; return it with its number, None where this is not the chief or the disk takes it later."""
        fault = self._fault(noted)
        self.say(f"fault: {fault.summary}")
        numbered: list[TrainingFault] = []
        self._write(lambda: numbered.append(report_fault(self.directory, fault)))
        return numbered[0] if numbered else None

    def took(self, fault: TrainingFault, action: FaultAction) -> None:
        """Say what was done about a fault after all."""
        self._write(lambda: revise_fault(self.directory, msgspec.structs.replace(fault, taken=action)))

    def earlier(self) -> tuple[TrainingFault, ...]:
        """Return the faults of the run so far."""
        return read_faults(self.directory)

    def _fault(self, noted: Noted) -> TrainingFault:
        now = time.time()
        return TrainingFault(
            run=self.run,
            fault_class=noted.fault_class,
            summary=noted.summary,
            occurred_at=now - noted.lasted_s,
            detected_at=now,
            located_at=now,
            step=self.heart.step or None,
            section=noted.section or section_of(self.heart.phase),
            suspects=tuple(Suspect(rank=rank) for rank in noted.suspects),
            evidence=tuple(noted.evidence),
            advised=noted.advised,
            taken=noted.taken,
        )

    def _write(self, work: Callable[[], object]) -> None:
        """Do it behind what is late; where the disk refuses, keep it for the next time."""
        if self._say is None:
            return
        with self._alone:
            self._late.append(work)
            try:
                while self._late:
                    self._late[0]()
                    del self._late[0]
            except OSError as error:
                self.say(f"cannot be written down yet: {(error.strerror or str(error)).lower()}")

"""What is told of each step as TensorBoard's event files."""

import socket
import time
from collections.abc import Callable
from io import BytesIO
from os import getpid
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from l3_modeltools.runs import RunLayout, Sample
from l3_modeltools.training.held_file import HeldFile
from l3_modeltools.training.metrics import StepMetrics

if TYPE_CHECKING:
    from tensorboard.compat.proto.event_pb2 import Event

__all__ = ["TensorBoard"]

WHEN = frozenset(("step", "at", "monotonic_s"))
"""What an event tells in its own fields, or need not."""

VERSION = "brain.Event:2"
"""What the first event of a file says (TensorBoard's `event.proto`)."""


class TensorBoard:
    """Writes an event file for each start; what earlier files hold of steps after `done` no longer counts.

    As with `JsonLines`, a disk that is full for a while costs nothing. One that is broken ends the file with a word:
    `metrics.jsonl` holds the same.
    """

    def __init__(self, directory: Path, *, done: int, say: Callable[[str], None] = lambda line: None) -> None:
        """Take the run's directory and what hears, in a line, of trouble with the disk."""
        name = f"events.out.tfevents.{int(time.time()):010}.{socket.gethostname()}.{getpid()}"
        self.done, self.say = done, say
        self.file: HeldFile | None = HeldFile(RunLayout(directory).tensorboard / name, say)
        """None: it has ended."""
        self.is_begun = False

    def stepped(self, metrics: StepMetrics) -> None:
        """Write every number of a step under its own name."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        numbers = msgspec.structs.asdict(metrics).items()
        told = [(name, value) for name, value in numbers if name not in WHEN and value is not None]
        values = [Summary.Value(tag=name, simple_value=value) for name, value in told]
        self._write(Event(wall_time=metrics.at, step=metrics.step, summary=Summary(value=values)))

    def sampled(self, sample: Sample) -> None:
        """Write a sample, as Markdown that keeps it as it is."""
        from tensorboard.compat.proto.event_pb2 import Event
        from torch.utils.tensorboard.summary import text

        lines = "\n".join("    " + line for line in (sample.prompt + sample.text).splitlines())
        summary = text(sample.prompt, lines)  # type: ignore[no-untyped-call]
        self._write(Event(wall_time=time.time(), step=sample.step, summary=summary))

    def saved(self, step: int) -> None:
        """Nothing is told of saving."""

    def close(self) -> None:
        """Write what is held back."""
        if self.file is not None:
            self._attempt(self.file.close)

    def _write(self, event: "Event") -> None:
        if self.file is None:
            return
        content = _record(event) if self.is_begun else self._beginning() + _record(event)
        self.is_begun = True
        file = self.file
        self._attempt(lambda: file.append(content))

    def _attempt(self, work: Callable[[], None]) -> None:
        try:
            work()
        except OSError as error:
            self.file = None
            self.say(f"TensorBoard's files end here: {(error.strerror or str(error)).lower()}")

    def _beginning(self) -> bytes:
        """Return what a file begins with."""
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog

        first = _record(Event(wall_time=time.time(), file_version=VERSION))
        if not self.done:
            return first
        start = SessionLog(status=SessionLog.START)
        return first + _record(Event(wall_time=time.time(), step=self.done + 1, session_log=start))


def _record(event: "Event") -> bytes:
    """Return an event as it stands in a file, with its length and checksums."""
    from tensorboard.summary.writer.record_writer import RecordWriter

    buffer = BytesIO()
    RecordWriter(buffer).write(event.SerializeToString())
    return buffer.getvalue()

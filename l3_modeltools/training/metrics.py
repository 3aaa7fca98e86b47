"""What is told of each step: one JSON line, and the same as TensorBoard's scalars."""

import errno
from collections.abc import Callable
from functools import partial
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from l3_modeltools.runs import RunLayout, Sample

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

__all__ = ["JsonLines", "StepMetrics", "TensorBoard"]

MENDED_LATER = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EROFS])
"""What a disk says that takes lines again one day."""


class StepMetrics(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step, as a line of `metrics.jsonl`. After a resume steps come again: the last line of a step counts."""

    step: int
    """Its number, from 1."""
    at: float
    """When it ended, in seconds since the epoch."""
    tokens: int
    """Tokens that went in since the first step, padding not counted."""
    loss: float | None = None
    """Mean over what counts in the global batch, in nats; None: the step was left out."""
    learning_rate: float | None = None
    grad_norm: float | None = None
    """Norm of the mean loss's gradient, before clipping."""
    tokens_per_s: float | None = None
    """Of all ranks together; validation and saving are not in the time."""
    step_s: float | None = None
    memory_bytes: int | None = None
    """Most that this process (on the CPU) or its device's allocator ever held, of rank 0."""
    mfu: float | None = None
    """Model FLOPs utilisation, as a share of 1; None where the peak of the device is not known."""
    validation_loss: float | None = None
    """Mean over held-out tokens, in nats, on the steps that are validated."""


class JsonLines:
    """Appends to `metrics.jsonl` and `samples.jsonl`; a line that a kill cut off gets its end before the next.

    A disk that is full or read-only for a while costs no line: they are written as soon as it takes them.
    """

    def __init__(self, directory: Path) -> None:
        layout = RunLayout(directory)
        self.metrics = Lines(layout.metrics)
        self.samples = Lines(layout.samples)

    def stepped(self, metrics: StepMetrics) -> None:
        """Append one step."""
        self.metrics.append(msgspec.json.encode(metrics))

    def sampled(self, sample: Sample) -> None:
        """Append one sample."""
        self.samples.append(msgspec.json.encode(sample))

    def saved(self, step: int) -> None:
        """Nothing is told of saving."""

    def close(self) -> None:
        """Close the files."""
        self.metrics.close()
        self.samples.close()


class TensorBoard:
    """Writes event files; what earlier files hold of steps after `done` no longer counts.

    Where the disk does not take them it says so once and writes no more: `metrics.jsonl` holds the same.
    """

    def __init__(self, directory: Path, *, done: int, say: Callable[[str], None] = lambda line: None) -> None:
        self.directory, self.done, self.say = directory, done, say
        self.writer: SummaryWriter | None = None
        self.has_ended = False

    def stepped(self, metrics: StepMetrics) -> None:
        """Write every number of a step under its own name."""
        for name, value in msgspec.structs.asdict(metrics).items():
            if name not in ("step", "at") and value is not None:
                self._write(partial(_add_scalar, name, value, metrics))

    def sampled(self, sample: Sample) -> None:
        """Write a sample, as Markdown that keeps it as it is."""
        text = "\n".join("    " + line for line in (sample.prompt + sample.text).splitlines())
        self._write(lambda to: to.add_text(sample.prompt, text, sample.step))

    def saved(self, step: int) -> None:
        """Nothing is told of saving."""

    def close(self) -> None:
        """Write what is held back."""
        if self.writer is not None:
            self._write(lambda to: to.close())

    def _write(self, work: "Callable[[SummaryWriter], None]") -> None:
        if self.has_ended:
            return
        try:
            self.writer = self.writer or self._open()
            work(self.writer)
        except OSError as error:
            self.has_ended = True
            self.say(f"TensorBoard's files end here: {(error.strerror or str(error)).lower()}")

    def _open(self) -> "SummaryWriter":
        from torch.utils.tensorboard import SummaryWriter

        purge = self.done + 1 if self.done else None
        return SummaryWriter(str(RunLayout(self.directory).tensorboard), purge_step=purge, flush_secs=10)


def _add_scalar(name: str, value: float, metrics: StepMetrics, writer: "SummaryWriter") -> None:
    writer.add_scalar(name, value, metrics.step, metrics.at)


class Lines:
    """A file of lines that is appended to; what the disk refuses is kept and written before the next line."""

    def __init__(self, path: Path) -> None:
        self.file = FileIO(path, "a+")
        self.held = b""
        if self.file.seek(0, 2):
            self.file.seek(-1, 2)
            self.held = b"" if self.file.read(1) == b"\n" else b"\n"

    def append(self, line: bytes) -> None:
        """Append a line. Raises OSError where the disk is broken, not where it is full or read-only."""
        self.held += line + b"\n"
        self._write()

    def close(self) -> None:
        """Close the file."""
        if self.held:
            self._write()
        self.file.close()

    def _write(self) -> None:
        try:
            while self.held:
                self.held = self.held[self.file.write(self.held) :]
        except OSError as error:
            if error.errno not in MENDED_LATER:
                raise

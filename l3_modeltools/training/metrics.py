"""What is told of each step: one JSON line."""

from pathlib import Path

import msgspec

from l3_modeltools.runs import RunLayout, Sample, is_cut_off
from l3_modeltools.training.held_file import HeldFile

__all__ = ["JsonLines", "StepMetrics"]


class StepMetrics(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step, as a line of `metrics.jsonl`. After a resume steps come again: the last line of a step counts."""

    step: int
    """Its number, from 1."""
    at: float
    """When it ended, in seconds since the epoch."""
    monotonic_s: float | None = None
    """The same by the clock of the node that nobody can set: times stay exact where the other one is."""
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


class Lines:
    """A file of lines that is appended to; a line that was cut off is ended first."""

    def __init__(self, path: Path) -> None:
        self.file = HeldFile(path, held=b"\n" if is_cut_off(path) else b"")

    def append(self, line: bytes) -> None:
        """Append a line. Raises OSError where the disk is broken, not where it is full or read-only."""
        self.file.append(line + b"\n")

    def close(self) -> None:
        """Close the file."""
        self.file.close()

"""What is told of each step: one JSON line, and the same as TensorBoard's scalars."""

from io import FileIO
from pathlib import Path

import msgspec

from l3_modeltools.runs import RunLayout, Sample

__all__ = ["JsonLines", "StepMetrics", "TensorBoard"]


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
    """Appends to `metrics.jsonl` and `samples.jsonl`; a line that a kill cut off gets its end before the next."""

    def __init__(self, directory: Path) -> None:
        layout = RunLayout(directory)
        self.metrics = _open_lines(layout.metrics)
        self.samples = _open_lines(layout.samples)

    def stepped(self, metrics: StepMetrics) -> None:
        """Append one step."""
        self.metrics.write(msgspec.json.encode(metrics) + b"\n")

    def sampled(self, sample: Sample) -> None:
        """Append one sample."""
        self.samples.write(msgspec.json.encode(sample) + b"\n")

    def saved(self, step: int) -> None:
        """Nothing is told of saving."""

    def close(self) -> None:
        """Close the files."""
        self.metrics.close()
        self.samples.close()


class TensorBoard:
    """Writes event files; what earlier files hold of steps after `done` no longer counts."""

    def __init__(self, directory: Path, *, done: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        purge = done + 1 if done else None
        self.writer = SummaryWriter(str(RunLayout(directory).tensorboard), purge_step=purge, flush_secs=10)

    def stepped(self, metrics: StepMetrics) -> None:
        """Write every number of a step under its own name."""
        for name, value in msgspec.structs.asdict(metrics).items():
            if name not in ("step", "at") and value is not None:
                self.writer.add_scalar(name, value, metrics.step, metrics.at)

    def sampled(self, sample: Sample) -> None:
        """Write a sample, as Markdown that keeps it as it is."""
        text = "\n".join("    " + line for line in (sample.prompt + sample.text).splitlines())
        self.writer.add_text(sample.prompt, text, sample.step)

    def saved(self, step: int) -> None:
        """Nothing is told of saving."""

    def close(self) -> None:
        """Write what is held back."""
        self.writer.close()


def _open_lines(path: Path) -> FileIO:
    file = FileIO(path, "a+")
    if file.seek(0, 2):
        file.seek(-1, 2)
        if file.read(1) != b"\n":
            file.write(b"\n")
    return file

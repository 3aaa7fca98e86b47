"""What a run tells while it goes on: lines for people on stdout, events for the engine, every few seconds."""

import json
import time
from pathlib import Path
from typing import Protocol

from l0_infra.core.store import append_line
from l0_infra.core.units import format_duration
from l3_modeltools.runs import Sample
from l3_modeltools.training.metrics import StepMetrics

__all__ = ["Console", "Events", "Listener"]

EVERY_S = 5.0
"""Seconds between two lines, or two events, about steps."""


class Listener(Protocol):
    """Someone to whom a run tells what happens."""

    def stepped(self, metrics: StepMetrics) -> None:
        """Hear of a step that was done."""

    def sampled(self, sample: Sample) -> None:
        """Hear what the model wrote."""

    def saved(self, step: int) -> None:
        """Hear that the state after `step` is safe."""

    def close(self) -> None:
        """Hear no more."""


class Console:
    """Prints lines for people; they become the run's log."""

    def __init__(self, *, steps: int, quiet: bool) -> None:
        self.steps = steps
        self.quiet = quiet
        self.last = 0.0

    def say(self, line: str) -> None:
        """Print a line at once, unless this is the console of a rank that keeps quiet."""
        if not self.quiet:
            print(line, flush=True)

    def stepped(self, metrics: StepMetrics) -> None:
        """Print a line every few seconds, at the end, and where there is a validation."""
        now = time.monotonic()
        if now - self.last >= EVERY_S or metrics.step == self.steps or metrics.validation_loss is not None:
            self.last = now
            self.say(render_step(metrics, steps=self.steps))

    def sampled(self, sample: Sample) -> None:
        """Print a sample."""
        self.say(f"  sample  {sample.prompt!r} → {sample.text!r}")

    def saved(self, step: int) -> None:
        """Print where the run would go on."""
        self.say(f"saved step {step}")

    def close(self) -> None:
        """Nothing is held back."""


class Events:
    """Appends to the engine's event file, which may be gone."""

    def __init__(self, path: Path, *, steps: int) -> None:
        self.path = path
        self.steps = steps
        self.last = 0.0

    def stepped(self, metrics: StepMetrics) -> None:
        """Tell of progress every few seconds, and at the end."""
        now = time.monotonic()
        if now - self.last < EVERY_S and metrics.step != self.steps:
            return
        self.last = now
        self._append("progress", step=metrics.step, steps=self.steps, loss=metrics.loss)

    def sampled(self, sample: Sample) -> None:
        """The engine has no use for samples."""

    def saved(self, step: int) -> None:
        """Tell that a restart would lose nothing before `step`."""
        self._append("saved", step=step)

    def close(self) -> None:
        """Nothing is held back."""

    def _append(self, event: str, **fields: float | None) -> None:
        line = json.dumps({"at": time.time(), "event": event, **fields})
        try:
            append_line(self.path, line)
        except OSError:
            return  # the run matters more than who listens


def render_step(metrics: StepMetrics, *, steps: int) -> str:
    """Write a step as one line."""
    parts = [f"step {metrics.step}/{steps}"]
    if metrics.loss is None:
        return f"{parts[0]}  left out"
    parts += [
        f"loss {metrics.loss:.4f}",
        f"lr {metrics.learning_rate:.3g}",
        f"grad norm {metrics.grad_norm:.3g}",
    ]
    if metrics.tokens_per_s and metrics.step_s:
        left = (steps - metrics.step) * metrics.step_s
        parts += [f"{metrics.tokens_per_s:,.0f} tokens/s", f"ETA {format_duration(round(left))}"]
    if metrics.mfu is not None:
        parts.append(f"MFU {metrics.mfu:.1%}")
    if metrics.validation_loss is not None:
        parts.append(f"validation loss {metrics.validation_loss:.4f}")
    return "  ".join(parts)

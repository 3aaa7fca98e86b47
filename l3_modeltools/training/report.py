"""What a run tells while it goes on: lines for people on stdout, events for the engine, every few seconds."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from textwrap import indent
from typing import Protocol

from l0_infra.core.store import append_line
from l0_infra.core.units import format_duration
from l3_modeltools.runs import Sample
from l3_modeltools.training.metrics import StepMetrics

__all__ = ["Console", "Events", "RunListener"]

EVERY_S = 5.0
"""Seconds between two lines, or two events, about steps."""


class RunListener(Protocol):
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

    def __init__(self, *, steps: int, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self.steps = steps
        self.quiet = quiet
        self.clock = clock
        self.told_at = -EVERY_S
        self.first: tuple[int, float] | None = None
        self.since: list[StepMetrics] = []

    def say(self, line: str) -> None:
        """Print a line at once, unless this is the console of a rank that keeps quiet."""
        if not self.quiet:
            print(line, flush=True)

    def stepped(self, metrics: StepMetrics) -> None:
        """Print a line every few seconds, at the end, and where there is a validation."""
        now = self.clock()
        self.first = self.first or (metrics.step, now)
        self.since.append(metrics)
        if now - self.told_at >= EVERY_S or metrics.step == self.steps or metrics.validation_loss is not None:
            self.told_at = now
            self.say(render_steps(self.since, steps=self.steps, left_s=self._left_s(metrics.step, now)))
            self.since = []

    def _left_s(self, step: int, now: float) -> float | None:
        """Estimate the seconds to the end by the pace since the first step, validation and saving included."""
        if self.first is None or step == self.first[0]:
            return None
        return (self.steps - step) * (now - self.first[1]) / (step - self.first[0])

    def sampled(self, sample: Sample) -> None:
        """Print a sample, set off from the lines about steps."""
        self.say(f"after step {sample.step} it writes:")
        self.say(indent(sample.prompt + sample.text, "    | ", lambda line: True))

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


def render_steps(told: Sequence[StepMetrics], *, steps: int, left_s: float | None) -> str:
    """Write the last of some steps as one line; its loss and speed are means over all of them."""
    last, learnt = told[-1], [metrics for metrics in told if metrics.loss is not None]
    width = len(str(steps))
    parts = [f"step {last.step:>{width}}/{steps}"]
    if not learnt:
        return f"{parts[0]}  left out"
    parts.append(f"loss {mean(metrics.loss or 0.0 for metrics in learnt):7.4f}")
    parts.append(f"lr {learnt[-1].learning_rate or 0.0:.2e}")
    parts.append(f"grad norm {learnt[-1].grad_norm or 0.0:6.3f}")
    if seconds := sum(metrics.step_s or 0.0 for metrics in learnt):
        tokens = sum((metrics.tokens_per_s or 0.0) * (metrics.step_s or 0.0) for metrics in learnt)
        parts.append(f"{tokens / seconds:9,.0f} tokens/s")
    if left_s is not None and last.step < steps:
        parts.append(f"{format_duration(round(left_s))} left")
    if last.mfu is not None:
        parts.append(f"MFU {last.mfu:.1%}")
    if last.validation_loss is not None:
        parts.append(f"validation loss {last.validation_loss:.4f}")
    return "  ".join(parts)

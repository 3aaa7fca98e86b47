"""What a run has told so far, as curves that grow at the same small cost however long the run is."""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from statistics import median

from l3_modeltools import Metric

__all__ = ["Curve", "History"]

NEWEST = 64
WINDOW = 1000
NOW = 50
SAMPLED = 4096
LARGEST = 1e100
"""What is larger is no measurement; its square would be no number."""


class Curve:
    """One number over the steps, by step; of a step that came again the last word counts."""

    def __init__(self, points: Iterable[tuple[int, float]] = ()) -> None:
        self.steps: list[int] = []
        self.values: list[float] = []
        for step, value in points:
            self.put(step, value)

    def put(self, step: int, value: float) -> None:
        """Note a value; one that is not finite, or beyond all bounds, takes the earlier one's place and has none."""
        place = len(self.steps)
        if self.steps and self.steps[-1] >= step:
            place = bisect_left(self.steps, step)
            if self.steps[place] == step:
                del self.steps[place], self.values[place]
        if abs(value) < LARGEST:
            self.steps.insert(place, step)
            self.values.insert(place, value)

    def between(self, first: int, last: int) -> "Curve":
        """Return the part from step `first` to `last`, both included."""
        begin, end = bisect_left(self.steps, first), bisect_right(self.steps, last)
        part = Curve()
        part.steps, part.values = self.steps[begin:end], self.values[begin:end]
        return part


class History:
    """The curves of a run, its newest metrics, and what follows from them."""

    def __init__(self, metrics: Iterable[Metric] = ()) -> None:
        self.loss, self.validation_loss = Curve(), Curve()
        self.learning_rate, self.grad_norm = Curve(), Curve()
        self.tokens_per_s, self.at = Curve(), Curve()
        self.newest: deque[Metric] = deque(maxlen=NEWEST)
        self.take(metrics)

    def take(self, metrics: Iterable[Metric]) -> None:
        """Note what was told since."""
        for metric in metrics:
            self.newest.append(metric)
            for name, curve in self._curves():
                value = getattr(metric, name)
                if value is not None:
                    curve.put(metric.step, value)

    def _curves(self) -> tuple[tuple[str, Curve], ...]:
        return (
            ("loss", self.loss),
            ("validation_loss", self.validation_loss),
            ("learning_rate", self.learning_rate),
            ("grad_norm", self.grad_norm),
            ("tokens_per_s", self.tokens_per_s),
            ("at", self.at),
        )

    @property
    def last(self) -> Metric | None:
        """What was told last, which after a restart need not be of the highest step."""
        return max(self.newest, key=lambda metric: (metric.at or 0.0, metric.step), default=None)

    def typical_speed(self) -> float | None:
        """Return the median of tokens/s over the run, of a long one over evenly chosen steps."""
        values = self.tokens_per_s.values
        return median(values[:: 1 + len(values) // SAMPLED]) if values else None

    def pace_s(self, breaks: Sequence[float] = ()) -> float | None:
        """Return the seconds that a step takes with its share of validations and saves; None before two steps.

        The mean over the last thousand steps, moved by how much slower the last fifty are. Time in which one of
        `breaks` lies, ascending seconds since the epoch, went into a restart or a pause and counts for no step.
        """
        passed = self._step_times(breaks)
        if not passed:
            return None
        each = [seconds / steps for seconds, steps in passed]
        mean = sum(seconds for seconds, _ in passed) / sum(steps for _, steps in passed)
        now = median(each[-NOW:])
        return max(now, mean + now - median(each))

    def step_s(self, breaks: Sequence[float] = ()) -> float | None:
        """Return the median time of one of the last steps, in seconds."""
        passed = self._step_times(breaks)[-NOW:]
        return median(seconds / steps for seconds, steps in passed) if passed else None

    def _step_times(self, breaks: Sequence[float]) -> list[tuple[float, int]]:
        """Return the seconds between two metrics and the steps between them, of the last thousand."""
        steps, at = self.at.steps[-WINDOW - 1 :], self.at.values[-WINDOW - 1 :]
        return [
            (at[place + 1] - at[place], steps[place + 1] - steps[place])
            for place in range(len(steps) - 1)
            if at[place + 1] > at[place]
            and bisect_right(breaks, at[place]) == bisect_right(breaks, at[place + 1])
        ]

"""Reads what a trainer tells while it tells it: whole lines once, by step, the last word on each step counting."""

from collections.abc import Iterable
from pathlib import Path

from l3_modeltools.runs.event_files import EventFiles
from l3_modeltools.runs.layout import RunLayout
from l3_modeltools.runs.lines import LineReader
from l3_modeltools.runs.metric import Metric, merge_metrics, parse_metrics
from l3_modeltools.runs.one_clock import OneClock

__all__ = ["MetricsReader", "read_metric_lines", "read_metrics"]

UNSET = OneClock((), 0.0)
"""A clock that was never set."""


def read_metrics(directory: Path, clock: OneClock = UNSET) -> tuple[Metric, ...]:
    """Read all metrics of the run in `directory`, by step; of a step that came again the last word counts."""
    reader = MetricsReader(directory, clock)
    reader.read()
    return reader.metrics


def read_metric_lines(directory: Path, clock: OneClock = UNSET) -> tuple[Metric, ...]:
    """Read what the run in `directory` told in the order in which it was told: a step that came again is there twice.

    Without `metrics.jsonl` these are the metrics of TensorBoard's event files, by step.
    """
    lines = LineReader(RunLayout(directory).metrics).read()
    told = tuple(metric for line in lines for metric in parse_metrics(line))
    return clock.metrics(told) or read_metrics(directory, clock)


class MetricsReader:
    """The metrics of one run: from `metrics.jsonl`, else from TensorBoard's event files."""

    def __init__(self, directory: Path, clock: OneClock = UNSET) -> None:
        """Take the run's directory, in which nothing needs to be yet, and the clock its times are moved to."""
        layout = RunLayout(directory)
        self._clock = clock
        self._lines = LineReader(layout.metrics)
        self._events = EventFiles(layout.tensorboard)
        self._by_step: dict[int, Metric] = {}
        self._has_lines = False

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics read so far, by step."""
        return tuple(self._by_step[step] for step in sorted(self._by_step))

    def read(self) -> tuple[Metric, ...]:
        """Read what was added since the last call; returns the steps it tells of, whole, by step."""
        told = [metric for line in self._lines.read() for metric in parse_metrics(line)]
        if told and not self._has_lines:
            self._has_lines = True
            self._by_step.clear()
            told = list(
                self._clock.metrics(told)
            )  # what comes later is told in the time of the clock as it is now
        return self._take(told if self._has_lines else self._events.read())

    def _take(self, told: Iterable[Metric]) -> tuple[Metric, ...]:
        steps = set()
        for metric in told:
            earlier = self._by_step.get(metric.step)
            self._by_step[metric.step] = merge_metrics(earlier, metric) if earlier else metric
            steps.add(metric.step)
        return tuple(self._by_step[step] for step in sorted(steps))

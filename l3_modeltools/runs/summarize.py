"""What a run came to, in a few numbers."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from l3_modeltools.runs.metric import Metric
from l3_modeltools.schemas import Run, RunState

__all__ = ["LossAt", "RunSummary", "summarize", "tokens_after"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LossAt:
    """A loss in nats, and the step after which it was so."""

    step: int
    loss: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSummary:
    """The numbers of one run; None: never told."""

    run_id: str
    state: RunState
    step: int
    tokens: float | None
    first_loss: LossAt | None
    last_loss: LossAt | None
    validation_losses: tuple[LossAt, ...]
    best_validation: LossAt | None
    """The lowest; one that is no number is never the best."""
    tokens_per_s: float | None
    """Median over the steps."""
    wall_s: float | None
    """From the first step's end to the last one's, restarts, waits and stops included."""
    at_work_s: float | None
    """As the run's figures tell it."""


def summarize(run: Run, metrics: Sequence[Metric]) -> RunSummary:
    """Sum up a run; `metrics` are by step."""
    validated = [
        LossAt(step=m.step, loss=m.validation_loss) for m in metrics if m.validation_loss is not None
    ]
    numbers = [found for found in validated if not math.isnan(found.loss)]
    speeds = [m.tokens_per_s for m in metrics if m.tokens_per_s is not None]
    times = [m.at for m in metrics if m.at is not None]
    return RunSummary(
        run_id=run.run_id,
        state=run.state,
        step=max((metric.step for metric in metrics), default=run.step),
        tokens=tokens_after(run, metrics[-1]) if metrics else None,
        first_loss=_first_loss(metrics),
        last_loss=_first_loss(reversed(metrics)),
        validation_losses=tuple(validated),
        best_validation=min(numbers, key=lambda found: found.loss, default=None),
        tokens_per_s=median(speeds) if speeds else None,
        wall_s=max(times) - min(times) if times else None,
        at_work_s=run.figures.at_work_s,
    )


def _first_loss(metrics: Iterable[Metric]) -> LossAt | None:
    return next((LossAt(step=m.step, loss=m.loss) for m in metrics if m.loss is not None), None)


def tokens_after(run: Run, metric: Metric) -> float | None:
    """Return the tokens trained on until `metric`: as told, else by the batches; None when neither is known."""
    if metric.tokens is not None:
        return metric.tokens
    data = run.train.data
    return None if data is None else float(metric.step * data.global_batch_size * data.sequence_length)

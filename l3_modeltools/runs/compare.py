"""Runs side by side: what was wished differently, and what came of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from l3_modeltools.runs.metric import Metric
from l3_modeltools.runs.summarize import RunSummary, summarize, tokens_after
from l3_modeltools.schemas import Run

__all__ = ["Comparison", "Difference", "Measured", "compare_runs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A run with its metrics, by step."""

    run: Run
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """A field of `train` that is not the same in all runs: its path, and its value in each; None: absent.

    Who is told of faults changes no run, and an address may be a secret: `notify` is left out.
    """

    path: str
    values: tuple[object | None, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Runs side by side; every tuple is in the order of the runs."""

    summaries: tuple[RunSummary, ...]
    differences: tuple[Difference, ...]
    equal_tokens: float | None
    """The most tokens that all of them were trained on; None when one does not tell."""
    losses_at_equal_tokens: tuple[float | None, ...]


def compare_runs(*measured: Measured) -> Comparison:
    """Compare runs: fields of their trainings that differ, their numbers, their losses after equally many tokens."""
    summaries = tuple(summarize(one.run, one.metrics) for one in measured)
    known = [summary.tokens for summary in summaries if summary.tokens is not None]
    equal = min(known) if known and len(known) == len(summaries) else None
    return Comparison(
        summaries=summaries,
        differences=tuple(_differences([one.run for one in measured])),
        equal_tokens=equal,
        losses_at_equal_tokens=tuple(_loss_after(one, equal) for one in measured),
    )


def _loss_after(one: Measured, tokens: float | None) -> float | None:
    """Return the last training loss that is told until `tokens`."""
    if tokens is None:
        return None
    losses = [m.loss for m in one.metrics if m.loss is not None and (tokens_after(one.run, m) or 0) <= tokens]
    return losses[-1] if losses else None


def _differences(runs: Sequence[Run]) -> Iterator[Difference]:
    told = [msgspec.structs.replace(run.train, notify=()) for run in runs]
    tables = [dict(_leaves("", msgspec.to_builtins(train))) for train in told]
    for path in dict.fromkeys(path for table in tables for path in table):
        values = tuple(table.get(path) for table in tables)
        if any(value != values[0] for value in values):
            yield Difference(path=path, values=values)


def _leaves(path: str, value: object) -> Iterator[tuple[str, object]]:
    """Yield each value that holds no others, under its path: `data.mixture[0].weight`."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(f"{path}.{name}" if path else str(name), inner)
    elif isinstance(value, list | tuple) and value:
        for index, inner in enumerate(value):
            yield from _leaves(f"{path}[{index}]", inner)
    else:
        yield path, value

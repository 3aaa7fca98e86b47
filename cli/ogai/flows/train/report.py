"""Gathers all that is known of runs for a report, so that drawing it needs no other look at them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from l3_modeltools import (
    Accounts,
    Comparison,
    Figure,
    Mark,
    Measured,
    Metric,
    Sample,
    compare_runs,
    find_run,
    published_figures,
    read_samples,
)
from l3_modeltools.schemas import Run, TrainingFault
from ogai.flows.train.ettr import accounts_of
from ogai.flows.train.place import runs_folder
from ogai.flows.train.runs import Told, jobs_by_id, look

__all__ = ["Gathered", "RunReport", "gather", "report_file"]

NAME = "report.html"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunReport:
    """All that is known of one run."""

    run: Run
    metrics: tuple[Metric, ...]
    """By step; of a step that came again the last."""
    marks: tuple[Mark, ...]
    faults: tuple[TrainingFault, ...]
    samples: tuple[Sample, ...]
    accounts: Accounts
    """What its time went into, until now or its end."""
    shares: tuple[Figure, ...]
    """What share of it was worth something, by published definitions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Gathered:
    """What a report is made from: one run, or several in the order they were asked for."""

    reports: tuple[RunReport, ...]
    comparison: Comparison
    at: float
    """When it was gathered, in seconds since the epoch."""


def gather(references: Sequence[str]) -> Gathered:
    """Read the runs that are meant, each once. Raises UsageError with the nearest names."""
    now, jobs, folder = time.time(), jobs_by_id(), runs_folder()
    found = {run.run_id: run for run in (find_run(reference, folder) for reference in references)}
    reports = tuple(_read(look(run, jobs)) for run in found.values())
    measured = [Measured(run=report.run, metrics=report.metrics) for report in reports]
    return Gathered(reports=reports, comparison=compare_runs(*measured), at=now)


def report_file(gathered: Gathered, to: Path | None) -> Path:
    """Say where a report goes: `to`, else into the one run's directory, else into the current one."""
    if to is not None:
        return to.absolute()
    reports = gathered.reports
    return (Path(reports[0].run.directory) if len(reports) == 1 else Path.cwd()) / NAME


def _read(told: Told) -> RunReport:
    accounts = accounts_of(told)
    return RunReport(
        run=told.run,
        metrics=told.metrics,
        marks=tuple(told.happened.marks),
        faults=told.happened.faults,
        samples=read_samples(Path(told.run.directory)),
        accounts=accounts,
        shares=published_figures(accounts),
    )

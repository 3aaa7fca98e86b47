"""Trainings of language models: `from ogai.train import submit`."""

from collections.abc import Sequence
from pathlib import Path

from ogai.flows.train import (
    FaultPlan,
    Gathered,
    Planned,
    PlannedDrill,
    PlannedEttr,
    Run,
    RunEttr,
    RunReport,
    Train,
    Wish,
    compare,
    damaged,
    drill,
    expected_ettr,
    explain,
    export,
    faults,
    find,
    gather,
    metrics,
    mtbf_of,
    output,
    plan,
    plan_drill_of,
    plan_drill_with,
    poll,
    queue,
    read_meaning,
    read_wish,
    replay_ettr,
    resume,
    run_ettr,
    sample,
    samples,
    stop,
    submit,
    under_drill,
    wait,
)

__all__ = [
    "FaultPlan",
    "Gathered",
    "Planned",
    "PlannedDrill",
    "PlannedEttr",
    "Run",
    "RunEttr",
    "RunReport",
    "Train",
    "Wish",
    "compare",
    "damaged",
    "drill",
    "ettr",
    "expected_ettr",
    "explain",
    "export",
    "faults",
    "find",
    "gather",
    "metrics",
    "mtbf_of",
    "output",
    "plan",
    "plan_drill_of",
    "plan_drill_with",
    "poll",
    "queue",
    "read_meaning",
    "read_wish",
    "replay_ettr",
    "report",
    "resume",
    "sample",
    "samples",
    "stop",
    "submit",
    "under_drill",
    "wait",
]


def ettr(reference: str) -> RunEttr:
    """Account for the time of a run, and say what share of it was worth something; `reference` as in `find`."""
    return run_ettr(reference)


def report(references: str | Sequence[str], *, to: str | Path | None = None) -> Path:
    """Write one HTML file on a run, or on several side by side, and return where it lies.

    `references` as in `find`; without `to` it is `report.html` in the run's directory, of several runs in the current
    one. Raises UsageError where something that is no report lies there, MachineError where it cannot be written,
    UnsatisfiableError without the extra `report`.
    """
    from ogai.render.train.report import write_report

    wanted = (references,) if isinstance(references, str) else references
    return write_report(wanted, None if to is None else Path(to))

"""Runs to report on, gathered without a queue."""

import dataclasses
from pathlib import Path

from msgspec.structs import replace

from l3_modeltools import Mark, Measured, Metric, Sample, account, compare_runs, published_figures
from l3_modeltools.schemas import Evidence, Figures, Run, Suspect, TrainingFault
from ogai.flows.train.report import Gathered, RunReport
from tests.support.runs import SUBMITTED_AT, a_run, a_train

STEP_S = 0.5
FORTY = tuple(4.0 - step / 20 for step in range(40))
"""Losses of a run of forty steps."""


def losses(*values: float, name: str = "small-1") -> RunReport:
    """Return a finished run that had these losses, a step each half second, validated and saved at its end."""
    metrics = [
        Metric(
            step=step,
            at=SUBMITTED_AT + 2 + STEP_S * step,
            loss=value,
            learning_rate=0.001 * step,
            grad_norm=1 + 1 / step,
            tokens=32.0 * step,
            tokens_per_s=64.0 + step % 7,
            step_s=STEP_S,
        )
        for step, value in enumerate(values, start=1)
    ]
    if metrics:
        metrics[-1] = replace(metrics[-1], validation_loss=2.75)
    run = a_run(
        a_train(steps=max(1, len(values))),
        directory=Path("/runs") / name,
        state="COMPLETED",
        step=len(values),
        figures=Figures(loss=values[-1] if values else None, tokens=32.0 * len(values), tokens_per_s=66.0),
        ended_at=SUBMITTED_AT + 3 + STEP_S * len(values),
    )
    return report(run, *metrics)


def report(
    run: Run,
    *metrics: Metric,
    marks: tuple[Mark, ...] = (),
    faults: tuple[TrainingFault, ...] = (),
    samples: tuple[Sample, ...] = (),
) -> RunReport:
    """Return what is known of a run."""
    accounts = account(
        submitted_at=run.submitted_at,
        until=run.ended_at or run.submitted_at,
        starts=(),
        marks=marks,
        faults=faults,
        lines=metrics,
    )
    return RunReport(
        run=run,
        metrics=metrics,
        marks=marks,
        faults=faults,
        samples=samples,
        accounts=accounts,
        shares=published_figures(accounts),
    )


def with_(found: RunReport, **fields: object) -> RunReport:
    """Return a report with other fields."""
    return dataclasses.replace(found, **fields)  # type: ignore[arg-type]


def gathered(*reports: RunReport) -> Gathered:
    """Return these runs, gathered."""
    measured = [Measured(run=one.run, metrics=one.metrics) for one in reports]
    return Gathered(reports=reports, comparison=compare_runs(*measured), at=SUBMITTED_AT + 900)


def a_fault(number: int = 1, **fields: object) -> TrainingFault:
    """Return a worker that was killed in step 20 and was back two seconds later, three steps to be done again."""
    fault = TrainingFault(
        fault_id=number,
        run="small-1",
        fault_class="killed",
        summary="Rank 1 was killed by the kernel.",
        occurred_at=SUBMITTED_AT + 12.0,
        detected_at=SUBMITTED_AT + 12.5,
        resumed_at=SUBMITTED_AT + 14.25,
        redone_steps=3,
        step=20,
        suspects=(Suspect(rank=1),),
        evidence=(Evidence(source="exit", rank=1, text="ended by signal 9"),),
        advised="restart_worker",
        taken="restart_worker",
    )
    return replace(fault, **fields)

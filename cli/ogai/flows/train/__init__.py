"""Trainings, free of the command line: `import ogai; ogai.train.submit("train.yaml")`."""

from l3_modeltools import FaultPlan
from l3_modeltools.schemas import Run, Train
from ogai.flows.train.drills import PlannedDrill, drill, plan_drill_of, plan_drill_with, under_drill
from ogai.flows.train.ettr import (
    PlannedEttr,
    RunEttr,
    expected_ettr,
    mtbf_of,
    replay_ettr,
    run_ettr,
)
from ogai.flows.train.faults import explain, faults, own_errors, read_meaning
from ogai.flows.train.report import Gathered, RunReport, gather
from ogai.flows.train.runs import (
    compare,
    damaged,
    find,
    met,
    metrics,
    output,
    poll,
    resume,
    samples,
    stop,
    wait,
)
from ogai.flows.train.submit import Planned, plan, queue, submit
from ogai.flows.train.use import export, sample
from ogai.flows.train.wish import Wish, read_wish

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
    "expected_ettr",
    "explain",
    "export",
    "faults",
    "find",
    "gather",
    "met",
    "metrics",
    "mtbf_of",
    "output",
    "own_errors",
    "plan",
    "plan_drill_of",
    "plan_drill_with",
    "poll",
    "queue",
    "read_meaning",
    "read_wish",
    "replay_ettr",
    "resume",
    "run_ettr",
    "sample",
    "samples",
    "stop",
    "submit",
    "under_drill",
    "wait",
]

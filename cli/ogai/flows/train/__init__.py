"""Trainings, free of the command line: `import ogai; ogai.train.submit("train.yaml")`."""

from l3_modeltools import FaultPlan
from l3_modeltools.schemas import Run, Train
from ogai.flows.train.ettr import (
    PlannedEttr,
    RunEttr,
    expected_ettr,
    mtbf_of,
    replay_ettr,
    run_ettr,
)
from ogai.flows.train.runs import compare, damaged, find, metrics, output, poll, resume, samples, stop, wait
from ogai.flows.train.submit import Planned, plan, queue, submit
from ogai.flows.train.use import export, sample
from ogai.flows.train.wish import Wish, read_wish

__all__ = [
    "FaultPlan",
    "Planned",
    "PlannedEttr",
    "Run",
    "RunEttr",
    "Train",
    "Wish",
    "compare",
    "damaged",
    "expected_ettr",
    "export",
    "find",
    "metrics",
    "mtbf_of",
    "output",
    "plan",
    "poll",
    "queue",
    "read_wish",
    "replay_ettr",
    "resume",
    "run_ettr",
    "sample",
    "samples",
    "stop",
    "submit",
    "wait",
]

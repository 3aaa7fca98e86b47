"""Trainings, free of the command line: `import ogai; ogai.train.submit("train.yaml")`."""

from l3_modeltools.schemas import Run, Train
from ogai.flows.train.drills import PlannedDrill, drill, plan_drill_of, plan_drill_with, under_drill
from ogai.flows.train.runs import compare, damaged, find, metrics, output, poll, resume, samples, stop, wait
from ogai.flows.train.submit import Planned, plan, queue, submit
from ogai.flows.train.use import export, sample
from ogai.flows.train.wish import Wish, read_wish

__all__ = [
    "Planned",
    "PlannedDrill",
    "Run",
    "Train",
    "Wish",
    "compare",
    "damaged",
    "drill",
    "export",
    "find",
    "metrics",
    "output",
    "plan",
    "plan_drill_of",
    "plan_drill_with",
    "poll",
    "queue",
    "read_wish",
    "resume",
    "sample",
    "samples",
    "stop",
    "submit",
    "under_drill",
    "wait",
]

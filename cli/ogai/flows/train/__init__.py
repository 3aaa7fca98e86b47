"""Trainings, free of the command line: `import ogai; ogai.train.submit("train.yaml")`."""

from l3_modeltools.schemas import Run, Train
from ogai.flows.train.faults import explain, faults, own_errors, read_meaning
from ogai.flows.train.runs import compare, damaged, find, metrics, output, poll, resume, samples, stop, wait
from ogai.flows.train.submit import Planned, plan, queue, submit
from ogai.flows.train.use import export, sample
from ogai.flows.train.wish import Wish, read_wish

__all__ = [
    "Planned",
    "Run",
    "Train",
    "Wish",
    "compare",
    "damaged",
    "explain",
    "export",
    "faults",
    "find",
    "metrics",
    "output",
    "own_errors",
    "plan",
    "poll",
    "queue",
    "read_meaning",
    "read_wish",
    "resume",
    "sample",
    "samples",
    "stop",
    "submit",
    "wait",
]

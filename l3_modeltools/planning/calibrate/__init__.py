"""Whether the cost model can be trusted: measured runs beside what it says of them, and a fit to them."""

from l3_modeltools.planning.calibrate.fit import fit_calibration
from l3_modeltools.planning.calibrate.lesson import Lesson, lesson_of
from l3_modeltools.planning.calibrate.own import measured_row, unmeasured_because, write_rows
from l3_modeltools.planning.calibrate.runs import MeasuredRun, read_runs
from l3_modeltools.planning.calibrate.score import (
    DatasetScore,
    Errors,
    Scored,
    score_datasets,
    score_runs,
)

__all__ = [
    "DatasetScore",
    "Errors",
    "Lesson",
    "MeasuredRun",
    "Scored",
    "fit_calibration",
    "lesson_of",
    "measured_row",
    "read_runs",
    "score_datasets",
    "score_runs",
    "unmeasured_because",
    "write_rows",
]

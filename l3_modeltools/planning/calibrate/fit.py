"""Fit the figures of the cost model to measured runs: least squares on the logarithm, deaf to outliers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import exp, log, sqrt
from typing import cast

import msgspec

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.schemas import Device
from l3_modeltools.planning.calibrate.lesson import BOUNDS, Lesson
from l3_modeltools.planning.calibrate.score import score_datasets, score_runs
from l3_modeltools.schemas import Calibration, Fitted

__all__ = ["fit_calibration"]

PULL = 0.5
"""Weight with which each figure is pulled back to where it begun, by its logarithm: as one run with such an error."""

EDGE = 1e-6
LOUD = 0.1
"""Errors beyond this count by their size, not by its square."""


def fit_calibration(
    lesson: Lesson, devices: Mapping[str, Device], start: Calibration, *, name: str
) -> Calibration:
    """Fit to the runs of a lesson that begins with `start`; every data set counts the same, however many runs it has.

    Figures that no run touches stay as they were, those of which the runs tell little near it. Raises
    UnsatisfiableError where scipy is missing.
    """
    measured, names = lesson.runs, lesson.touched
    sizes = Counter(run.dataset for run in measured)
    weights = [sqrt(len(measured) / len(sizes) / sizes[run.dataset]) for run in measured]
    origin = [log(getattr(start, name)) for name in names]

    def residuals(point: Sequence[float]) -> list[float]:
        scored = score_runs(measured, devices, _at(start, names, point))
        errors = [log(cast(float, one.step_s) / cast(float, one.run.step_s)) for one in scored]
        pulls = [PULL * (value - begun) for value, begun in zip(point, origin, strict=True)]
        return [weight * error for weight, error in zip(weights, errors, strict=True)] + pulls

    best = _at(start, names, _least_squares(residuals, names, start))
    fitted = [
        Fitted(dataset=one.dataset, rows=one.time.rows, mape=round(one.time.mape, 4))
        for one in score_datasets(score_runs(measured, devices, best))
        if one.time is not None
    ]
    return msgspec.structs.replace(best, name=name, fitted=tuple(fitted))


def _at(start: Calibration, names: Sequence[str], point: Sequence[float]) -> Calibration:
    """The calibration at a point: the logarithms of the figures of these names."""
    values = {name: float(f"{exp(value):.4g}") for name, value in zip(names, point, strict=True)}
    return msgspec.structs.replace(
        start, **{name: min(BOUNDS[name][1], value) for name, value in values.items()}
    )


def _least_squares(
    residuals: Callable[[Sequence[float]], list[float]], names: Sequence[str], start: Calibration
) -> list[float]:
    try:
        from scipy.optimize import least_squares
    except ImportError as error:
        raise UnsatisfiableError(
            "ogai strategy calibrate",
            found="no scipy here",
            expected="scipy, which fits",
            hint="pip install 'ogai[plan]'",
        ) from error
    low, high = ([log(BOUNDS[name][end]) for name in names] for end in (0, 1))
    within = [
        min(max(log(getattr(start, name)), lo + EDGE), hi - EDGE)
        for name, lo, hi in zip(names, low, high, strict=True)
    ]
    found = least_squares(residuals, within, bounds=(low, high), loss="soft_l1", f_scale=LOUD, diff_step=1e-3)
    return [float(value) for value in found.x]

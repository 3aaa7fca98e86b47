"""Fit the figures of the cost model to measured runs: least squares on the logarithm, deaf to outliers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import exp, log, sqrt
from typing import cast

import msgspec

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.schemas import Device
from l3_modeltools.planning.calibrate.runs import MeasuredRun
from l3_modeltools.planning.calibrate.score import DatasetScore, score_runs
from l3_modeltools.schemas import Calibration, Fitted

__all__ = ["BOUNDS", "fit_calibration"]

BOUNDS: Mapping[str, tuple[float, float]] = {
    "matmul_share": (0.6, 1.0),
    "matmul_edge": (1.0, 1000.0),
    "matmul_gap_s": (1e-7, 5e-5),
    "attention_forward_share": (0.2, 1.0),
    "attention_backward_share": (0.2, 1.0),
    "memory_share": (0.4, 0.95),
    "passes_forward": (2.0, 20.0),
    "passes_backward": (1.0, 3.0),
    "launch_s": (1e-6, 5e-5),
    "kernels_backward": (20.0, 80.0),
    "link_share": (0.3, 0.9),
    "link_latency_s": (1e-6, 1e-4),
    "network_share": (0.3, 0.95),
    "network_latency_s": (1e-6, 1e-3),
    "hidden_share": (0.05, 1.0),
    "step_s": (1e-4, 0.1),
}
"""What is fitted, and between which figures that make sense."""

EDGE = 1e-6
LOUD = 0.1
"""Errors beyond this count by their size, not by its square."""


def fit_calibration(
    runs: Sequence[MeasuredRun], devices: Mapping[str, Device], start: Calibration, *, name: str
) -> Calibration:
    """Fit to runs whose time was measured; every data set counts the same, however many runs it has.

    Raises UnsatisfiableError for fewer runs than twice the figures that are fitted, and where scipy is missing.
    """
    measured = [run for run in runs if run.step_s is not None]
    if len(measured) < 2 * len(BOUNDS):
        found, expected = (
            f"{len(measured)} measured runs",
            f"{2 * len(BOUNDS)} or more, to fit {len(BOUNDS)} figures",
        )
        raise UnsatisfiableError("calibration", found=found, expected=expected)
    sizes = Counter(run.dataset for run in measured)
    weights = [sqrt(len(measured) / len(sizes) / sizes[run.dataset]) for run in measured]

    def residuals(point: Sequence[float]) -> list[float]:
        scored = score_runs(measured, devices, _at(start, point))
        return [weight * log(1 + cast(float, one.error)) for weight, one in zip(weights, scored, strict=True)]

    best = _at(start, _least_squares(residuals, start))
    errors: dict[str, list[float]] = {}
    for one in score_runs(measured, devices, best):
        errors.setdefault(one.run.dataset, []).append(cast(float, one.error))
    fitted = [
        Fitted(dataset=dataset, rows=len(found), mape=round(DatasetScore.of(dataset, found).mape, 4))
        for dataset, found in errors.items()
    ]
    return msgspec.structs.replace(best, name=name, fitted=tuple(fitted))


def _at(start: Calibration, point: Sequence[float]) -> Calibration:
    """The calibration at a point: the logarithms of the figures."""
    values = {name: float(f"{exp(value):.4g}") for name, value in zip(BOUNDS, point, strict=True)}
    return msgspec.structs.replace(
        start, **{name: min(high, values[name]) for name, (_, high) in BOUNDS.items()}
    )


def _least_squares(residuals: Callable[[Sequence[float]], list[float]], start: Calibration) -> list[float]:
    try:
        from scipy.optimize import least_squares
    except ImportError as error:
        raise UnsatisfiableError(
            "ogai strategy calibrate",
            found="no scipy here",
            expected="scipy, which fits",
            hint="pip install 'ogai[plan]'",
        ) from error
    low, high = ([log(bound[end]) for bound in BOUNDS.values()] for end in (0, 1))
    within = [
        min(max(log(getattr(start, name)), lo + EDGE), hi - EDGE)
        for name, lo, hi in zip(BOUNDS, low, high, strict=True)
    ]
    found = least_squares(residuals, within, bounds=(low, high), loss="soft_l1", f_scale=LOUD, diff_step=1e-3)
    return [float(value) for value in found.x]

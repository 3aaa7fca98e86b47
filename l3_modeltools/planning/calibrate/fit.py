"""Fit the figures of the cost model to measured runs: least squares on the logarithm, deaf to outliers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import exp, log, sqrt
from typing import cast

import msgspec

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.schemas import Device
from l3_modeltools.planning.calibrate.runs import MeasuredRun
from l3_modeltools.planning.calibrate.score import score_datasets, score_runs
from l3_modeltools.schemas import Calibration, Fitted

__all__ = ["BOUNDS", "fit_calibration"]

BOUNDS: Mapping[str, tuple[float, float]] = {
    "matmul_share": (0.6, 1.0),
    "matmul_edge": (1.0, 256.0),
    "matmul_tail": (10.0, 2000.0),
    "matmul_depth": (1.0, 1000.0),
    "matmul_gap_s": (1e-7, 5e-5),
    "early_attention_forward": (0.2, 1.0),
    "early_attention_backward": (0.2, 1.0),
    "memory_share": (0.4, 0.95),
    "passes_forward": (2.0, 20.0),
    "passes_backward": (1.0, 3.0),
    "unfused_passes": (1.0, 3.0),
    "launch_s": (1e-6, 5e-5),
    "kernels_backward": (20.0, 80.0),
    "link_share": (0.3, 0.85),
    "link_latency_s": (1e-6, 1e-4),
    "link_hop_s": (1e-7, 1e-5),
    "network_share": (0.3, 0.95),
    "network_latency_s": (1e-6, 1e-4),
    "hidden_share": (0.05, 1.0),
    "shard_passes": (1.0, 30.0),
    "straggler_share": (1e-4, 0.02),
    "step_s": (1e-4, 0.1),
}
"""What is fitted, and between which figures that make sense."""

PULL = 0.5
"""Weight with which each figure is pulled back to where it begun, by its logarithm: as one run with such an error."""

EDGE = 1e-6
LOUD = 0.1
"""Errors beyond this count by their size, not by its square."""


def fit_calibration(
    runs: Sequence[MeasuredRun], devices: Mapping[str, Device], start: Calibration, *, name: str
) -> Calibration:
    """Fit to runs whose time was measured; every data set counts the same, however many runs it has.

    Figures of which the runs tell little stay near those of `start`. Raises UnsatisfiableError for runs of which none
    can be priced, and where scipy is missing.
    """
    measured = [one.run for one in score_runs(runs, devices, start) if one.step_error is not None]
    if not measured:
        raise UnsatisfiableError("calibration", found="no measured run", expected="one or more, to fit to")
    sizes = Counter(run.dataset for run in measured)
    weights = [sqrt(len(measured) / len(sizes) / sizes[run.dataset]) for run in measured]
    origin = [log(getattr(start, name)) for name in BOUNDS]

    def residuals(point: Sequence[float]) -> list[float]:
        scored = score_runs(measured, devices, _at(start, point))
        errors = [log(cast(float, one.step_s) / cast(float, one.run.step_s)) for one in scored]
        pulls = [PULL * (value - begun) for value, begun in zip(point, origin, strict=True)]
        return [weight * error for weight, error in zip(weights, errors, strict=True)] + pulls

    best = _at(start, _least_squares(residuals, start))
    fitted = [
        Fitted(dataset=one.dataset, rows=one.time.rows, mape=round(one.time.mape, 4))
        for one in score_datasets(score_runs(measured, devices, best))
        if one.time is not None
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

"""A loss or a gradient norm that jumps is told before the update that would spoil the weights."""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

__all__ = ["Spike", "SpikeWatch"]

WINDOW, FEWEST = 64, 24
"""Accepted steps that a step is compared with, at most and at least."""

LEAST_SCORE = 8.0

LOSS_SIGMA, NORM_SIGMA = 0.02, 0.1

MAD_TO_SIGMA = 1.4826
"""The standard deviation of a normal distribution over its median absolute deviation."""

MOST_REFUSED = 16
"""In a row; after them it is no jump but a new level, and the watch begins anew."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spike:
    """A number of a step that is far above what it was in the steps before."""

    step: int
    of: Literal["loss", "grad_norm"]
    value: float
    usual: float
    """Median of the steps before."""
    score: float
    """How many standard deviations it is above it; of a gradient norm: of its logarithm."""


class SpikeWatch:
    """Judges the mean loss and the gradient norm of each step against the accepted steps before it.

    Pure of anything but the numbers it was given, which all ranks have alike; so all judge alike. A run that is
    resumed gives it the numbers of its last 64 accepted steps first, and judges as if it had never stopped.
    """

    def __init__(self) -> None:
        self._losses: deque[float] = deque(maxlen=WINDOW)
        self._norms: deque[float] = deque(maxlen=WINDOW)
        self._refused = 0

    def judge(self, step: int, loss: float, grad_norm: float) -> Spike | None:
        """Say whether a step's finite numbers jump; call it before the update. It changes nothing."""
        if len(self._losses) < FEWEST:
            return None
        of_loss = _score(loss, self._losses, least_sigma=LOSS_SIGMA * abs(median(self._losses)))
        of_norm = _score(_log(grad_norm), [_log(norm) for norm in self._norms], least_sigma=NORM_SIGMA)
        if max(of_loss, of_norm) < LEAST_SCORE:
            return None
        if of_loss >= of_norm:
            return Spike(step=step, of="loss", value=loss, usual=median(self._losses), score=of_loss)
        return Spike(step=step, of="grad_norm", value=grad_norm, usual=median(self._norms), score=of_norm)

    def accept(self, loss: float, grad_norm: float) -> None:
        """Take in the finite numbers of a step whose update is done."""
        self._losses.append(loss)
        self._norms.append(grad_norm)
        self._refused = 0

    def refuse(self) -> None:
        """Take note that a step was left out for its jump."""
        self._refused += 1
        if self._refused >= MOST_REFUSED:
            self._losses.clear()
            self._norms.clear()
            self._refused = 0


def _score(value: float, before: Sequence[float], *, least_sigma: float) -> float:
    """Return by how many standard deviations a value is above the median of those before."""
    middle = median(before)
    sigma = MAD_TO_SIGMA * median(abs(one - middle) for one in before)
    return (value - middle) / max(sigma, least_sigma, 1e-9)


def _log(norm: float) -> float:
    return math.log(max(norm, 1e-12))

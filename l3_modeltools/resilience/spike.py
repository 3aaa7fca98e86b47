"""A loss or a gradient norm that jumps is told before the update that would spoil the weights."""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

__all__ = ["Spike", "SpikeWatch"]

WINDOW, FEWEST = 32, 24
"""Accepted steps that a step is compared with, at most and at least. A loss falls fast after a warm-up: over more steps
its fall would pass for noise, and garbage for a part of it.
"""

BOTH, TOGETHER = 2.0, 10.0
"""Scores of loss and gradient norm: each at least, and their sum."""

LOSS_ALONE, NORM_ALONE = 10.0, 25.0

LEAST_LOSS_SHARE, LEAST_LOSS, LEAST_LOG_NORM = 0.02, 0.05, 0.1
"""Least standard deviations: of the usual loss, in nats, and of the logarithm of the norm. A smooth run is no reason to
take ripples for jumps.
"""

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

    A score is a distance above the median in standard deviations, these from the median absolute deviation, which a
    few odd steps do not move. Of the norm it is taken of the logarithm, as its noise multiplies. The rule: both score
    2 and together 10, or the loss alone 10, or the norm alone 25.

    Why together: in trainings of `examples/tiny_llama`, with learning rates up to 50 times as high and with batches of
    128 tokens, the norm of good steps reached a score of 11, but while the loss was where it used to be; the loss of
    good steps never 5. In batches of random tokens, of one token only, or with the vocabulary in another order both
    rose, to 12 together and more. One sample of 32 tokens as a whole batch makes norms score 18. A slow divergence is
    no spike: it moves the median along. Nor is one bad sample among good ones, or words in another order, while the
    model does not know the difference yet.

    Pure of anything but the numbers it was given, which all ranks have alike; so all judge alike. A run that is
    resumed gives it the numbers of its last 32 accepted steps first, and judges as if it had never stopped.
    """

    def __init__(self) -> None:
        self._losses: deque[float] = deque(maxlen=WINDOW)
        self._log_norms: deque[float] = deque(maxlen=WINDOW)
        self._refused = 0

    def judge(self, step: int, loss: float, grad_norm: float) -> Spike | None:
        """Say whether a step's finite numbers jump; call it before the update. It changes nothing."""
        if len(self._losses) < FEWEST:
            return None
        usual, usual_log = median(self._losses), median(self._log_norms)
        of_loss = _score(loss, self._losses, max(LEAST_LOSS_SHARE * abs(usual), LEAST_LOSS))
        of_norm = _score(_log(grad_norm), self._log_norms, LEAST_LOG_NORM)
        both = min(of_loss, of_norm) >= BOTH and of_loss + of_norm >= TOGETHER
        if not (both or of_loss >= LOSS_ALONE or of_norm >= NORM_ALONE):
            return None
        if of_loss >= of_norm:
            return Spike(step=step, of="loss", value=loss, usual=usual, score=of_loss)
        return Spike(step=step, of="grad_norm", value=grad_norm, usual=math.exp(usual_log), score=of_norm)

    def accept(self, loss: float, grad_norm: float) -> None:
        """Take in the finite numbers of a step whose update is done."""
        self._losses.append(loss)
        self._log_norms.append(_log(grad_norm))
        self._refused = 0

    def refuse(self) -> None:
        """Take note that a step was left out for its jump."""
        self._refused += 1
        if self._refused >= MOST_REFUSED:
            self._losses.clear()
            self._log_norms.clear()
            self._refused = 0


def _score(value: float, before: Sequence[float], least_sigma: float) -> float:
    middle = median(before)
    sigma = MAD_TO_SIGMA * median(abs(one - middle) for one in before)
    return (value - middle) / max(sigma, least_sigma)


def _log(norm: float) -> float:
    return math.log(max(norm, 1e-12))

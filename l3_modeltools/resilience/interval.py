"""When the next save is due: saves cost time, and so do the steps that a fault makes undone."""

import math
from collections import deque
from statistics import median

__all__ = ["Rhythm", "best_interval_s"]

DEVICE_MTBF_S = 16_384 * 54 / 419 * 24 * 3600
"""419 unplanned interruptions of 16,384 GPUs in 54 days: 50,700 hours of a device each. The Llama 3 Herd of Models
(arXiv:2407.21783), section 3.3.4.
"""

PRIOR_S = 24 * 3600.0
"""What is known of others weighs as much as a day of the run's own experience."""

LONGEST_S = 3600.0
"""Between two saves: nobody wants to lose more, however rare faults were until now."""

FIRST_S = 60.0
"""Before the first save, which tells what one costs."""

KEPT_STEPS = 64
KEPT_SAVES = 8


def best_interval_s(save_s: float, mtbf_s: float) -> float:
    """Return the seconds of work between two saves that lose least, for a save that costs `save_s`, both above 0.

    J. T. Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, Future Generation
    Computer Systems 22 (2006), eq. 37. Its first term is that of J. W. Young, A first order approximation to the
    optimum checkpoint interval, Communications of the ACM 17 (1974): the root of 2 · `save_s` · `mtbf_s`.
    """
    if save_s >= 2 * mtbf_s:
        return mtbf_s
    share = save_s / (2 * mtbf_s)
    return math.sqrt(2 * save_s * mtbf_s) * (1 + math.sqrt(share) / 3 + share / 9) - save_s


class Rhythm:
    """Tells how many steps lie between two saves, from measured steps and saves and the faults so far.

    Faults come at a rate with a Gamma prior, whose mean is that of `devices` devices of the Llama 3 cluster and whose
    weight is a day. `faults` interrupted this run in the `observed_s` seconds that it trained before.
    """

    def __init__(self, *, devices: int, faults: int = 0, observed_s: float = 0.0) -> None:
        self._expected = devices / DEVICE_MTBF_S
        self._faults = faults
        self._observed_s = observed_s
        self._steps: deque[float] = deque(maxlen=KEPT_STEPS)
        self._saves: deque[float] = deque(maxlen=KEPT_SAVES)

    def stepped(self, seconds: float) -> None:
        """Take in how long a step took."""
        self._steps.append(seconds)
        self._observed_s += seconds

    def saved(self, seconds: float) -> None:
        """Take in how long a save held up the loop."""
        self._saves.append(seconds)

    @property
    def mtbf_s(self) -> float:
        """Expected seconds between two faults: the inverse of the posterior's mean."""
        return (PRIOR_S + self._observed_s) / (PRIOR_S * self._expected + self._faults)

    @property
    def interval_s(self) -> float:
        """Seconds of work between two saves."""
        if not self._saves:
            return FIRST_S
        return min(best_interval_s(max(median(self._saves), 1e-3), self.mtbf_s), LONGEST_S)

    def is_due(self, steps_since_save: int) -> bool:
        """Say whether the state is to be saved now, so many steps (at least 1) after the last save or start."""
        if not self._steps:
            return False
        return (steps_since_save + 0.5) * median(self._steps) > self.interval_s

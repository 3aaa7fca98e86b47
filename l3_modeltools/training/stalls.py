"""Waits for data that are far longer than a step, told once while they go on."""

from collections import deque
from collections.abc import Sequence
from statistics import median

from l3_modeltools.schemas import Evidence
from l3_modeltools.training.logbook import Logbook, Noted
from l3_modeltools.training.world import World

__all__ = ["Stalls"]

KEPT_STEPS, FEWEST_STEPS = 64, 4
"""Steps from which the usual time of one is known, at most and at least."""


class Stalls:
    """One rank's watch over its waits; all ranks settle together whether there was a stall."""

    def __init__(self, world: World, logbook: Logbook) -> None:
        self.world, self.logbook = world, logbook
        self._steps: deque[float] = deque(maxlen=KEPT_STEPS)
        self._is_told = False

    def stepped(self, seconds: float) -> None:
        """Take in how long a step took."""
        self._steps.append(seconds)

    def is_stall(self, wait_s: float) -> bool:
        """Say whether a wait for the next batch is above 2 seconds and five times the median step."""
        return len(self._steps) >= FEWEST_STEPS and wait_s > max(2.0, 5 * median(self._steps))

    def settle(self, wait_s: float, *, is_one: bool) -> None:
        """Tell of a stall of any rank in this step, once until data are there in time again."""
        if is_one and not self._is_told:
            self._tell(self.world.told_by_all(wait_s))
        self._is_told = is_one

    def _tell(self, waits: Sequence[float]) -> None:
        late = [rank for rank, wait_s in enumerate(waits) if self.is_stall(wait_s)]
        self.logbook.report(
            Noted(
                fault_class="data_stall",
                summary=f"the batch of step {self.logbook.heart.step} was waited for {max(waits):.1f} s",
                evidence=[
                    Evidence(source="heartbeat", rank=rank, text=f"{wait_s:.1f} s in data")
                    for rank, wait_s in enumerate(waits)
                ],
                suspects=late,
                advised="none",
                taken="none",
                section="data",
                lasted_s=max(waits),
            )
        )

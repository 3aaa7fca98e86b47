"""A run that meets faults, event by event: what the closed form promises must come out of it."""

from random import Random

from l3_modeltools.resilience.accounts.expect import FaultPlan

__all__ = ["simulate_ettr"]


def simulate_ettr(plan: FaultPlan, *, intervals: int, seed: int) -> float:
    """Train `intervals` intervals through to their saves, and return the share of the time that it took for work.

    Faults come at any time, as often while the run is mended as while it trains.
    """
    return _Simulation(plan, Random(seed)).run(intervals)


class _Simulation:
    def __init__(self, plan: FaultPlan, random: Random) -> None:
        self.plan, self.random = plan, random
        self.now = 0.0
        self.next_fault = random.expovariate(1 / plan.mtbf_s)

    def run(self, intervals: int) -> float:
        length = self.plan.interval_s + self.plan.save_s
        for _ in range(intervals):
            done = 0.0
            while done < length:
                done = self._work(done, length)
        return intervals * self.plan.interval_s / self.now

    def _work(self, done: float, length: float) -> float:
        """Work on from `done` to the end or the next fault; return how much of the interval is done afterwards."""
        lasts = length - done
        if self.now + lasts <= self.next_fault:
            self.now += lasts
            return length
        done += self.next_fault - self.now
        return done if self._mend(self._strike()) else 0.0

    def _strike(self) -> bool:
        """Let the next fault happen; return whether it leaves a copy in memory."""
        self.now = self.next_fault
        self.next_fault += self.random.expovariate(1 / self.plan.mtbf_s)
        return self.random.random() < self.plan.memory_share

    def _mend(self, kept: bool) -> bool:
        """Restart until no fault comes between; return whether a copy was left by each."""
        while True:
            ready = self.now + self.plan.restart_s + (self.plan.memory_redo_s if kept else 0.0)
            if ready <= self.next_fault:
                self.now = ready
                return kept
            kept = self._strike() and kept

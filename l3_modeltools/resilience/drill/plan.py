"""Which faults a drill does to a run, in which order and to whom: decided by a seed, known before anything is done."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.resilience.drill.kinds import DRILL_KINDS, Kind, Trouble
from l3_modeltools.resilience.drill.orders import Order
from l3_modeltools.resilience.supervisor import spent_restarts
from l3_modeltools.runs import Mark
from l3_modeltools.schemas import Resilience

__all__ = ["DrillPlan", "PlannedBlow", "plan_drill", "require_budget", "restarts_left"]

LATE_S = 2.0
"""How late a batch comes, at least."""

SLOW_DISK_S = 40.0
"""How long a slow disk holds up a save."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedBlow:
    """One fault that is to be done; number and step of its order come when it is given."""

    trouble: Trouble
    order: Order

    @property
    def kind(self) -> Kind:
        return DRILL_KINDS[self.trouble]

    def lasting(self, step_s: float) -> Order:
        """Return its order with the length that it has where a step takes so long."""
        return msgspec.structs.replace(self.order, seconds=_seconds(self.trouble, step_s))

    def describe(self) -> str:
        """Say what will happen: `rank 1 ends itself by SIGKILL, while it saves`."""
        who = "every rank" if self.order.rank is None else f"rank {self.order.rank}"
        when = {"data": ", while it takes its batch", "save": ", while it saves", "forward": ""}
        return f"{who} {self.kind.does}{when[self.order.where]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class DrillPlan:
    """What a drill will do."""

    seed: int
    blows: tuple[PlannedBlow, ...]

    @property
    def restarts(self) -> int:
        """How many restarts of the run's budget it may spend."""
        return sum(blow.kind.restarts for blow in self.blows)


def plan_drill(troubles: Sequence[Trouble], *, seed: int, ranks: int, count: int | None = None) -> DrillPlan:
    """Draw a drill of `count` faults (None: one of each kind) on a run of so many ranks.

    Every kind comes once before one comes twice. The same arguments give the same plan.
    """
    rng = random.Random(seed)
    drawn: list[Trouble] = []
    wanted = len(troubles) if count is None else count
    while len(drawn) < wanted:
        drawn += rng.sample(list(troubles), len(troubles))
    return DrillPlan(seed=seed, blows=tuple(_blow(one, rng, ranks=ranks) for one in drawn[:wanted]))


def _blow(trouble: Trouble, rng: random.Random, *, ranks: int) -> PlannedBlow:
    kind = DRILL_KINDS[trouble]
    rank, moment = rng.randrange(ranks), rng.choice(kind.moments)
    order = msgspec.structs.replace(kind.order, rank=None if kind.ranks == "all" else rank, where=moment)
    return PlannedBlow(trouble=trouble, order=order)


def _seconds(trouble: Trouble, step_s: float) -> float | None:
    """Return how long it lasts; None: as its kind does."""
    match trouble:
        case "slow":
            return step_s
        case "data":
            return max(LATE_S, 4 * step_s)
        case "slow-disk":
            return SLOW_DISK_S
        case _:
            return None


def restarts_left(marks: Sequence[Mark], policy: Resilience, *, now: float) -> int:
    """Return how many restarts a run has left in its window, by its timeline; `now` in seconds since the epoch."""
    spent = [at for at in spent_restarts(marks) if at > now - policy.window_s]
    return policy.max_restarts - len(spent)


def require_budget(plan: DrillPlan, left: int) -> None:
    """Refuse a drill that would spend more restarts than a run has left. Raises UnsatisfiableError."""
    if plan.restarts > left:
        raise UnsatisfiableError(
            "drill",
            found=f"{plan.restarts} faults that restart the ranks, and {max(0, left)} restarts left",
            expected="a drill within the run's budget",
            hint="fewer faults, or a training with a larger resilience.max_restarts",
        )

"""What would have to change for a run to reach a wanted share of its time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from l3_modeltools.resilience.accounts.expect import FaultPlan, expect
from l3_modeltools.resilience.interval import best_interval_s

__all__ = ["TARGETS", "Reach", "best_interval", "reach"]

TARGETS = (0.90, 0.95, 0.97)
HALVINGS = 60
SHORTEST_S = 0.01


@dataclass(frozen=True, kw_only=True, slots=True)
class Reach:
    """What reaches a target, each with all else as planned and the best interval; None: nothing of that kind does."""

    target: float
    reached: bool
    """By the plan as it is."""
    interval_s: float | None
    """Saves so often, and nothing else changed."""
    save_s: float | None
    """At most so long is the run held up by a save."""
    restart_s: float | None
    """At most so long from a fault to the next step."""
    restart_with_memory_s: float | None
    """The same where `memory_share` of the faults leave a copy of the state in memory."""
    memory_share: float


def best_interval(plan: FaultPlan) -> float:
    """Return the training between two saves, in seconds, that costs least: saves help only where no copy is left."""
    unkept = 1 - plan.memory_share
    longest_s = plan.mtbf_s * 1000
    if not unkept:
        return longest_s
    return min(longest_s, max(SHORTEST_S, best_interval_s(plan.save_s, plan.mtbf_s / unkept)))


def reach(plan: FaultPlan, *, memory_share: float, targets: Sequence[float] = TARGETS) -> tuple[Reach, ...]:
    """Return what reaches each of `targets`; copies in memory would survive `memory_share` of the faults."""
    with_memory = replace(plan, memory_share=max(plan.memory_share, memory_share))
    return tuple(_reach(plan, with_memory, target) for target in targets)


def at_best(plan: FaultPlan) -> FaultPlan:
    """Return the plan with its best interval."""
    return replace(plan, interval_s=best_interval(plan))


def _reach(plan: FaultPlan, with_memory: FaultPlan, target: float) -> Reach:
    best = at_best(plan)
    return Reach(
        target=target,
        reached=expect(plan).productive >= target,
        interval_s=best.interval_s if expect(best).productive >= target else None,
        save_s=_longest(lambda seconds: replace(plan, save_s=seconds), target, plan.mtbf_s),
        restart_s=_longest(lambda seconds: replace(plan, restart_s=seconds), target, plan.mtbf_s),
        restart_with_memory_s=_longest(
            lambda seconds: replace(with_memory, restart_s=seconds), target, plan.mtbf_s
        ),
        memory_share=with_memory.memory_share,
    )


def _longest(planned: Callable[[float], FaultPlan], target: float, high: float) -> float | None:
    """Return the most seconds, up to `high`, that reach the target at the best interval; None: not even 0."""

    def reaches(seconds: float) -> bool:
        return expect(at_best(planned(seconds))).productive >= target

    if not reaches(0.0):
        return None
    low = 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if reaches(middle) else (low, middle)
    return low

"""What is asked of a plan: the fastest step, fewest accelerators for a deadline, the least money; a front."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from l0_infra.core.errors import UsageError
from l0_infra.core.units import format_count
from l3_modeltools.planning.search.find import Candidate, Searched, find
from l3_modeltools.planning.search.outlook import HOUR, least_step_s
from l3_modeltools.planning.search.problem import Problem

__all__ = ["Objective", "Planned", "Wish", "plan_strategy", "scaling_curve", "sizes", "strategy_front"]

Objective = Literal["fastest", "fewest", "cheapest"]
STEP = 0.05
"""Share of the device's memory by which points of a front differ at least."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What a person wants of the whole training."""

    objective: Objective = "fastest"
    tokens: float | None = None
    deadline_s: float | None = None
    budget: float | None = None
    """In the currency of the machine's price."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """The problem at the size that was chosen, and what was found for it; None where nothing keeps to the wish."""

    problem: Problem
    found: Searched | None


Tell = Callable[[str], None]


def plan_strategy(problem: Problem, wish: Wish, *, top: int = 5, tell: Tell = lambda text: None) -> Planned:
    """Search as the wish says. Raises UsageError for a wish that lacks what it is about."""
    _require(problem, wish)
    if wish.objective == "fastest":
        found = find(problem, top=top, within=_within(problem, wish))
        return Planned(problem=problem, found=found if found.candidates else None)
    best: tuple[float, Problem, float] | None = None
    for size in sizes(problem):
        smaller = problem.on(size)
        within = min(_within(smaller, wish), _cheaper(smaller, wish, best[0]) if best else float("inf"))
        if least_step_s(smaller) > within:
            continue
        tell(format_count(size, "accelerator"))
        found = find(smaller, top=1, within=within)
        if found.candidates:
            step_s = found.candidates[0].step_s
            best = (size * step_s, smaller, _within(smaller, wish))
            if wish.objective == "fewest":
                break
    if best is None:
        return Planned(problem=problem, found=None)
    return Planned(problem=best[1], found=find(best[1], top=top, within=best[2]))


def sizes(problem: Problem) -> Iterator[int]:
    """Numbers of accelerators to look at, ascending: parts of a node, 2^k and 3 · 2^k nodes, the whole."""
    node, whole = problem.machine.devices_per_node, problem.machine.devices
    known = {size for size in range(1, node + 1) if node % size == 0}
    for nodes in (1, 3):
        while nodes <= problem.machine.nodes:
            known.add(nodes * node)
            nodes *= 2
    yield from sorted(size for size in {*known, whole} if size <= whole)


def scaling_curve(problem: Problem, devices: Iterable[int]) -> Iterator[tuple[Problem, Candidate | None]]:
    """The fastest strategy for each number of accelerators; None where none fits."""
    for size in devices:
        resized = problem.on(size)
        yield resized, next(iter(find(resized, top=1).candidates), None)


def strategy_front(problem: Problem) -> Iterator[Candidate]:
    """Strategies of which none is both faster and smaller than another, the fastest first.

    Each is the fastest that stays below the memory of the one before; steps in memory are a twentieth of the device's.
    """
    memory = problem.memory_bytes
    step = int(STEP * memory)
    while memory > 0:
        kept_free = problem.device.memory_bytes - memory
        found = find(replace(problem, headroom_bytes=kept_free), top=1).candidates
        if not found:
            return
        yield found[0]
        memory = min(found[0].memory.peak - 1, memory - step)


def _require(problem: Problem, wish: Wish) -> None:
    missing = [
        name
        for name, needed, value in (
            ("--tokens", wish.objective != "fastest" or wish.deadline_s or wish.budget, wish.tokens),
            ("--deadline", wish.objective == "fewest", wish.deadline_s),
            (
                "price_per_device_hour of the machine",
                wish.objective == "cheapest" or wish.budget,
                problem.machine.price_per_device_hour,
            ),
        )
        if needed and not value
    ]
    if missing:
        raise UsageError(
            f"the objective `{wish.objective}`",
            found=f"no {missing[0]}",
            expected=f"{missing[0]}, which it is about",
        )


def _within(problem: Problem, wish: Wish) -> float:
    """Seconds that a step may take."""
    if wish.tokens is None:
        return float("inf")
    steps, limits = wish.tokens / problem.tokens, [float("inf")]
    if wish.deadline_s:
        limits.append(wish.deadline_s / steps)
    if wish.budget and problem.machine.price_per_device_hour:
        hourly = problem.machine.price_per_device_hour * problem.machine.devices
        limits.append(wish.budget / hourly * HOUR / steps)
    return min(limits)


def _cheaper(problem: Problem, wish: Wish, device_seconds: float) -> float:
    """Seconds below which a step is cheaper than one known, by what accelerators cost."""
    return device_seconds / problem.machine.devices * (1 - 1e-9)

"""The search beside pricing every strategy there is, and with more and less memory, on small random problems.

By formula, which is what it proves by; what it offers is played in the end, and may be found to take longer.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import isclose
from random import Random

from l3_modeltools.planning.search import Candidate, Limits, Problem, Recomputing, find
from l3_modeltools.planning.search.shapes import Space
from l3_modeltools.schemas import Strategy, cut_faults
from tests.support.planner_spaces import best_of, every_strategy, priced, small_problem, with_memory

__all__ = ["found_is_best", "more_memory_helps"]

LARGEST = 800
"""Strategies of the largest space that is priced one by one."""
SIZES = 6
ROUNDING = 1e-8


def found_is_best(random: Random) -> Iterator[str]:
    """At a random size of memory the search finds what is the fastest of all; with less than the least, nothing."""
    problem, strategies = _space(random)
    costs = [(strategy, *priced(problem, strategy)) for strategy in strategies]
    peaks = sorted(peak for _, _, peak in costs)
    problem = with_memory(problem, random.choice(peaks))
    wanted, found = best_of(problem, costs), find(problem, top=1).candidates
    if wanted is None or not found:
        yield f"found {found}, the best takes {wanted} s: {problem}"
        return
    best = found[0]
    if not isclose(_formula_s(best), wanted, rel_tol=ROUNDING):
        yield f"found {_formula_s(best)} s, the best takes {wanted} s: {problem}"
    if best.memory.peak > problem.device.memory_bytes:
        yield f"found what needs {best.memory.peak} bytes: {problem}"
    yield from map(str, cut_faults(best.strategy, problem.architecture, problem.sequence_length))
    if find(with_memory(problem, peaks[0] - 1), top=1).candidates:
        yield f"found something below {peaks[0]} bytes: {problem}"


def more_memory_helps(random: Random) -> Iterator[str]:
    """With more memory what was feasible stays so, and the best is no slower; the bytes that it is told to need do.

    Not asked where another stage becomes the slowest, whose exchanges and optimizer are the step's then.
    """
    problem = small_problem(random)
    room = find(with_memory(problem, 10**15), top=1).candidates
    if not room:
        return
    most, best = room[0].memory.peak, None
    for memory in [*sorted(random.randint(most // 20, most) for _ in range(SIZES)), most]:
        found = find(with_memory(problem, memory), top=1).candidates
        if not found and best:
            yield f"nothing fits {memory} bytes any more: {problem}"
        alike = found and best and _once_s(found[0]) <= _once_s(best)
        if alike and best and _formula_s(found[0]) > _formula_s(best) * (1 + ROUNDING):
            yield f"{_formula_s(best)} s become {_formula_s(found[0])} s with {memory} bytes: {problem}"
        if found:
            best = found[0]
    if best is None or not isclose(_formula_s(best), _formula_s(room[0]), rel_tol=ROUNDING):
        yield f"{best} in the {most} bytes of what takes {room[0].step_s} s: {problem}"


def _once_s(one: Candidate) -> float:
    """Seconds of what the slowest stage does once a step."""
    return one.time.copies + one.time.optimizer


def _formula_s(one: Candidate) -> float:
    """Seconds of a step without what virtual stages hold up, stragglers' share of it included."""
    work = one.step_s - one.time.stragglers - one.time.rest
    return one.step_s - one.time.uneven * (1 + one.time.stragglers / work)


def _space(random: Random) -> tuple[Problem, list[Strategy]]:
    while True:
        recomputing: Recomputing = random.choice(["by_stage", "by_stage", "alike", "all"])
        problem = replace(small_problem(random), limits=Limits(recomputing=recomputing))
        strategies = list(islice(_asked_for(problem), LARGEST + 1))
        if 0 < len(strategies) <= LARGEST:
            return problem, strategies


def _asked_for(problem: Problem) -> Iterator[Strategy]:
    """All but virtual stages so uneven that the search offers them to nobody who has not decided so."""
    space = Space(problem)
    for one in every_strategy(problem):
        if (one.pipeline.schedule, one.degrees.vp) in space.orders(one.degrees.pp):
            yield one

"""The search finds what pricing every strategy finds, on small spaces of all kinds, at any size of memory."""

from dataclasses import replace
from itertools import islice
from math import isclose
from random import Random

import pytest

from l3_modeltools.planning.search import Limits, Recomputing, find
from l3_modeltools.schemas import cut_faults
from tests.support.planner_spaces import (
    best_of,
    every_strategy,
    priced,
    small_problem,
    with_memory,
)

SPACES, LARGEST = 200, 1200
"""Spaces, and strategies of the largest that is priced one by one."""

WITH_EXPERTS = 40
"""Further spaces of models with experts: layers of three kinds, some of them far heavier than the others."""


@pytest.mark.parametrize("seed", range(SPACES))
def test_the_best_is_that_of_all(seed: int) -> None:
    hold_best(Random(seed), experts=None)


@pytest.mark.parametrize("seed", range(WITH_EXPERTS))
def test_with_experts_too(seed: int) -> None:
    hold_best(Random(seed), experts=True)


def hold_best(random: Random, *, experts: bool | None) -> None:
    """The search finds what is found by pricing all, at a size of memory that chance chooses."""
    while True:
        problem = small_problem(random, experts=experts)
        recomputing: Recomputing = random.choice(["by_stage", "by_stage", "alike", "all"])
        problem = replace(problem, limits=Limits(recomputing=recomputing))
        strategies = list(islice(every_strategy(problem), LARGEST + 1))
        if 0 < len(strategies) <= LARGEST:
            break
    costs = [(strategy, *priced(problem, strategy)) for strategy in strategies]
    peaks = sorted(peak for _, _, peak in costs)
    problem = with_memory(problem, peaks[int(len(peaks) * random.choice([0.0, 0.02, 0.1, 0.5, 0.999]))])
    best = find(problem, top=1).candidates[0]
    wanted = best_of(problem, costs)
    assert wanted is not None
    assert isclose(priced(problem, best.strategy)[0], wanted, rel_tol=1e-8), (best, problem)
    assert best.step_s >= wanted * (1 - 1e-8)
    assert best.memory.peak <= problem.device.memory_bytes
    assert not any(cut_faults(best.strategy, problem.architecture, problem.sequence_length))
    assert not find(with_memory(problem, peaks[0] - 1), top=1).candidates

"""The search finds what pricing every strategy finds, on small spaces of all kinds, at any size of memory."""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from math import isclose
from random import Random

import pytest

from l3_modeltools.planning.cost import time_of
from l3_modeltools.planning.cost.bytes import StepMemory, memory_of
from l3_modeltools.planning.cost.seconds import StepTime
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import stage_times
from l3_modeltools.planning.search import Limits, Problem, Recomputing, find
from l3_modeltools.planning.search.floors import Floors
from l3_modeltools.planning.search.seconds import Probe
from l3_modeltools.planning.search.shapes import Block, Cut
from l3_modeltools.schemas import Strategy, cut_faults
from tests.support.planner_spaces import (
    best_of,
    every_strategy,
    expert_problem,
    priced,
    small_problem,
    with_memory,
)

SPACES, LARGEST = 200, 1200
EXPERT_SPACES, FLOORS = 60, 30
"""Spaces, and strategies of the largest that is priced one by one."""


Costs = list[tuple[Strategy, float, int]]


@pytest.mark.parametrize("seed", range(SPACES))
def test_the_best_is_that_of_all(seed: int) -> None:
    problem, costs = space_of(Random(seed), small_problem)
    holds_against_all(problem, costs, Random(seed).choice([0.0, 0.02, 0.1, 0.5, 0.999]))


@pytest.mark.parametrize("seed", range(EXPERT_SPACES))
def test_with_experts_the_best_is_that_of_all(seed: int) -> None:
    problem, costs = space_of(Random(seed), expert_problem)
    holds_against_all(problem, costs, (0.0, 0.1, 0.3, 0.6, 0.999)[seed % 5])


def test_spaces_with_experts_spend_much_on_what_is_done_once_a_step() -> None:
    shares, expert_degrees, zero_stages = [], set(), set()
    for seed in range(0, EXPERT_SPACES, 4):
        best = find(space_of(Random(seed), expert_problem)[0], top=1).candidates[0]
        shares.append((best.time.copies + best.time.optimizer) / best.step_s)
        expert_degrees.add(best.strategy.degrees.ep)
        zero_stages.add(best.strategy.zero_stage)
    assert sum(share > 0.1 for share in shares) > len(shares) / 2
    assert len(expert_degrees) > 1
    assert len(zero_stages) > 1


@pytest.mark.parametrize("seed", range(FLOORS))
def test_no_strategy_goes_below_the_floors(seed: int) -> None:
    random = Random(seed)
    problem, costs = space_of(random, random.choice([expert_problem, small_problem]))
    problem = with_memory(problem, 10**13)
    floors, probe = Floors(problem), Probe(problem)
    for strategy, _, _ in costs:
        cut, zero = cut_of(problem, strategy), strategy.zero_stage
        work = probe.seconds(cut.block, "1f1b", 0, 1)
        pace = work.whole(floors.kinds) / cut.pp
        time, memory = cost_of(problem, strategy)
        slowest = slowest_s(problem, strategy)
        assert slowest >= pace * (1 - 1e-9)
        once = floors.once(cut, zero, work, pace).shown(floors.hidden * slowest)
        assert once <= (time.copies + time.optimizer) * (1 + 1e-9), strategy
        lasting = max(one.weights + one.gradients + one.master_and_moments for one in memory.stages)
        assert floors.least_state_bytes(cut, zero) <= lasting, strategy


def space_of(random: Random, draw: Callable[[Random], Problem]) -> tuple[Problem, Costs]:
    """A problem that is small enough, and what every strategy of it costs."""
    while True:
        problem = draw(random)
        recomputing: Recomputing = random.choice(["by_stage", "by_stage", "alike", "all"])
        problem = replace(problem, limits=Limits(recomputing=recomputing))
        strategies = list(islice(every_strategy(problem), LARGEST + 1))
        if 0 < len(strategies) <= LARGEST:
            return problem, [(strategy, *priced(problem, strategy)) for strategy in strategies]


def holds_against_all(problem: Problem, costs: Costs, share: float) -> None:
    """With memory for that share of the strategies the best is theirs; with less than for any there is none."""
    peaks = sorted(peak for _, _, peak in costs)
    problem = with_memory(problem, peaks[int(len(peaks) * share)])
    best = find(problem, top=1).candidates[0]
    wanted = best_of(problem, costs)
    assert wanted is not None
    assert isclose(priced(problem, best.strategy)[0], wanted, rel_tol=1e-8), (best, problem)
    assert best.step_s >= wanted * (1 - 1e-8)
    assert best.memory.peak <= problem.device.memory_bytes
    assert not any(cut_faults(best.strategy, problem.architecture, problem.sequence_length))
    assert not find(with_memory(problem, peaks[0] - 1), top=1).candidates


def cut_of(problem: Problem, strategy: Strategy) -> Cut:
    """The strategy's cut, as the search has it."""
    one = strategy.degrees
    block = Block(one.tp, one.cp, one.ep, one.sequence_parallel, strategy.micro_batch_size)
    return Cut(block, one.dp, one.pp, problem.setting(strategy).microbatches)


def cost_of(problem: Problem, strategy: Strategy) -> tuple[StepTime, StepMemory]:
    """A step in full."""
    setting = problem.setting(strategy)
    time = time_of(setting, problem.machine, problem.device, problem.calibration, played=False)
    return time, memory_of(setting)


def slowest_s(problem: Problem, strategy: Strategy) -> float:
    """Seconds of the slowest stage and a micro batch."""
    rates = Rates.of(problem.machine, problem.device, problem.practice, problem.calibration)
    return max(one.total for one in stage_times(problem.setting(strategy), rates))

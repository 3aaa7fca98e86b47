"""Laws of the search: more memory never hurts, what is offered is legal and fits, what is decided is kept to."""

from dataclasses import replace
from random import Random

import msgspec
import pytest

from l0_infra.core.errors import UnsatisfiableError, UsageError
from l3_modeltools import preset
from l3_modeltools.planning.search import (
    Decided,
    Limits,
    Problem,
    Wish,
    explain_nothing,
    find,
    limits_of,
    outlook,
    plan_strategy,
    reasons,
    sizes,
    strategy_front,
)
from l3_modeltools.schemas import Machine, Network, Practice, Strategy, Workload, cut_faults
from tests.support.planner_spaces import FIGURES, H100, priced, small_problem, with_memory

LLAMA = preset("llama-3.1-8b")
POD = Machine(
    name="pod",
    device=H100.name,
    nodes=4,
    network=Network(bytes_per_s_per_device=5e10),
    price_per_device_hour=2.0,
)
PROBLEM = Problem(
    architecture=LLAMA,
    sequence_length=8192,
    global_batch_size=64,
    practice=Practice(fused_loss=True),
    machine=POD,
    device=H100,
    calibration=FIGURES,
    limits=Limits(schedules=("1f1b", "interleaved")),
)
GIB = 2**30


@pytest.mark.parametrize("seed", range(8))
def test_more_memory_never_makes_the_best_slower(seed: int) -> None:
    random = Random(seed)
    largest = 20 * GIB
    while not find(
        with_memory(problem := replace(small_problem(random), decided=Decided()), largest), top=1
    ).candidates:
        continue
    best = float("inf")
    for memory in range(GIB, largest + 1, 19 * GIB // 10):
        found = find(with_memory(problem, memory), top=1).candidates
        assert found or best == float("inf")
        if found:
            assert found[0].step_s <= best * (1 + 1e-9)
            best = found[0].step_s
    room = find(with_memory(problem, 1000 * GIB), top=1).candidates
    assert bool(room) == (best < float("inf"))  # some problems no strategy cuts


@pytest.mark.parametrize("share", [0.0, 0.03, 0.3])
def test_what_is_to_stay_free_stays_free(share: float) -> None:
    """The best is that of a device with so much less; what is told of memory is that of the device."""
    kept = int(share * H100.memory_bytes)
    found = find(replace(PROBLEM, headroom_bytes=kept), top=3).candidates
    smaller = find(with_memory(PROBLEM, H100.memory_bytes - kept), top=3).candidates
    assert [one.strategy for one in found] == [one.strategy for one in smaller]
    assert all(one.memory.peak <= H100.memory_bytes - kept for one in found)
    error = explain_nothing(replace(PROBLEM.on(8), headroom_bytes=H100.memory_bytes // 2))
    assert "at most 40 GiB, 40 GiB of the device being kept free" in str(error)


def test_what_is_offered_is_legal_fits_and_uses_all_devices() -> None:
    found = find(PROBLEM, top=5)
    assert len({(one.strategy.degrees.tp, one.strategy.degrees.pp) for one in found.candidates}) == 5
    steps = [one.step_s for one in found.candidates]
    assert steps == sorted(steps)
    for one in found.candidates:
        assert one.strategy.degrees.world_size == POD.devices
        assert not any(cut_faults(one.strategy, LLAMA, 8192))
        workload = Workload(architecture=LLAMA, sequence_length=8192, global_batch_size=64)
        assert not any(msgspec.structs.replace(one.strategy, workload=workload).faults())
        assert (one.step_s, one.memory.peak) == priced(PROBLEM, one.strategy)
        assert one.memory.peak <= H100.memory_bytes
    assert found.shapes == found.too_slow + found.too_large + found.dealt


def test_the_order_is_the_same_each_time() -> None:
    first, second = find(PROBLEM), find(PROBLEM)
    assert [one.strategy for one in first.candidates] == [one.strategy for one in second.candidates]


def test_of_equally_fast_ones_the_simpler_is_first() -> None:
    fast = find(replace(PROBLEM, limits=Limits(degrees=frozenset({"dp", "cp"}))), top=1).candidates[0]
    assert fast.strategy.degrees.cp == 1
    assert fast.strategy.zero_stage <= 2


def test_what_is_decided_is_kept_to() -> None:
    decided = Decided(tp=2, pp=4, micro_batch_size=1, zero_stage=1, recompute="full", sequence_parallel=True)
    best = find(replace(PROBLEM, decided=decided), top=1).candidates[0].strategy
    degrees = best.degrees
    assert (degrees.tp, degrees.pp, degrees.sequence_parallel) == (2, 4, True)
    assert (best.micro_batch_size, best.zero_stage, best.recompute.mode) == (1, 1, "full")
    assert best.recompute.layers is None


@pytest.mark.parametrize("framework", ["ogai", "deepspeed", "torchtitan", "megatron", "mindformers"])
def test_a_framework_gets_what_it_runs(framework: str) -> None:
    limits = limits_of(framework)
    best = find(replace(PROBLEM, limits=limits), top=3).candidates
    assert best
    for one in best:
        degrees = one.strategy.degrees
        assert all(
            getattr(degrees, name) == 1 or name in limits.degrees for name in ("tp", "pp", "cp", "ep", "vp")
        )
        assert one.strategy.zero_stage in limits.zero_stages
        assert limits.runs(one.strategy, one.microbatches)
    if limits.recomputing == "all":
        assert all(one.strategy.recompute.layers is None for one in best)


def test_fewest_accelerators_keep_to_the_deadline() -> None:
    wish = Wish(objective="fewest", tokens=1e11, deadline_s=20 * 86400)
    planned = plan_strategy(PROBLEM, wish, top=1)
    assert planned.found is not None
    chosen = planned.problem.machine.devices
    days = outlook(planned.problem, planned.found.candidates[0], 1e11).days
    assert days is not None
    assert days <= 20
    for size in sizes(PROBLEM):
        if size < chosen:
            found = find(PROBLEM.on(size), top=1).candidates
            assert not found or (outlook(PROBLEM.on(size), found[0], 1e11).days or 0) > 20


def test_the_cheapest_costs_no_more_than_any_size() -> None:
    planned = plan_strategy(PROBLEM, Wish(objective="cheapest", tokens=1e11), top=1)
    assert planned.found is not None
    cost = outlook(planned.problem, planned.found.candidates[0], 1e11).cost
    assert cost is not None
    for size in sizes(PROBLEM):
        found = find(PROBLEM.on(size), top=1).candidates
        assert not found or cost <= (outlook(PROBLEM.on(size), found[0], 1e11).cost or 0) * (1 + 1e-9)
    dear = Wish(objective="cheapest", tokens=1e11, budget=cost * 0.9)
    assert plan_strategy(PROBLEM, dear).found is None


def test_a_wish_says_what_it_lacks() -> None:
    with pytest.raises(UsageError, match="no --deadline"):
        plan_strategy(PROBLEM, Wish(objective="fewest", tokens=1e9))


def test_a_front_trades_time_for_memory() -> None:
    points = [(one.step_s, one.memory.peak) for one in strategy_front(PROBLEM.on(8))]
    assert len(points) > 2
    assert points == sorted(points)
    assert [peak for _, peak in points] == sorted((peak for _, peak in points), reverse=True)


def test_shares_of_a_step_are_told_the_largest_first() -> None:
    best = find(replace(PROBLEM, decided=Decided(tp=8, sequence_parallel=True)), top=1).candidates[0]
    told = reasons(best.time)
    assert told[0][0] == "tensor exchange"
    assert told[0][1] == pytest.approx(best.time.tensor_exchange / best.step_s)


def test_what_does_not_fit_is_told_with_what_would() -> None:
    problem = replace(PROBLEM.on(8), architecture=preset("llama-3.1-70b"))
    assert not find(problem, top=1).candidates
    error = explain_nothing(problem, [msgspec.structs.replace(H100, name="huge", memory_bytes=10**13)])
    assert isinstance(error, UnsatisfiableError)
    assert "master and moments" in error.found
    assert "too much" in error.found
    counts = [size for size in (16, 32, 64) if find(problem.on(size), top=1).candidates]
    assert f"{counts[0]} accelerators would do" in error.hint
    assert "`huge`" in error.hint


def test_a_decision_that_stands_in_the_way_is_named() -> None:
    problem = replace(PROBLEM.on(8), decided=Decided(zero_stage=0, dp=8))
    assert not find(problem, top=1).candidates
    hint = explain_nothing(problem).hint
    assert "without zero_stage=0 it fits" in hint
    assert "without dp=8 it fits" in hint


@pytest.mark.parametrize(
    ("decided", "found"),
    [
        (Decided(tp=7), "num_attention_heads 32 = 7 × 4 + 4"),
        (Decided(pp=3), "32 = 3 × 10 + 2"),
        (Decided(micro_batch_size=5), "global_batch_size 64 = 5 × 12 + 4"),
    ],
)
def test_what_divides_nothing_is_told_as_a_division(decided: Decided, found: str) -> None:
    error = explain_nothing(replace(PROBLEM, decided=decided))
    assert error.found == found


def test_a_padded_vocabulary_makes_a_tensor_degree_legal() -> None:
    odd = msgspec.structs.replace(LLAMA, vocab_size=50257)
    best = find(replace(PROBLEM, architecture=odd, decided=Decided(tp=4)), top=1).candidates[0]
    strategy: Strategy = best.strategy
    assert strategy.padded_vocab_size == 50260

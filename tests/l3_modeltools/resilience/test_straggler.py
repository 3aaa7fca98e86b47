"""A rank that is slower than the others is named, once; noise, starvation and single slow steps are not."""

import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from l3_modeltools.resilience.heartbeat import Phase, SectionTime
from l3_modeltools.resilience.straggler import Straggler, StragglerWatch

Extra = Callable[[int, int], tuple[float, float]]
"""Of rank and step: seconds more in forward, and how many of them it was starved."""


def nothing(rank: int, step: int) -> tuple[float, float]:
    return 0.0, 0.0


def run(
    extra: Extra = nothing, *, ranks: int = 4, steps: range = range(1, 401), seed: int = 0, noise: float = 0.1
) -> list[Straggler]:
    watch = StragglerWatch(ranks)
    return list(go(watch, extra, ranks=ranks, steps=steps, seed=seed, noise=noise))


def go(
    watch: StragglerWatch, extra: Extra, *, ranks: int, steps: range, seed: int = 0, noise: float = 0.1
) -> Sequence[Straggler]:
    """Let ranks of 0.1 s own time take steps; the faster ones wait in backward."""
    source, named = random.Random(seed), []
    for step in steps:
        more = [extra(rank, step) for rank in range(ranks)]
        own = [0.09 * source.lognormvariate(0.0, noise) + more[rank][0] for rank in range(ranks)]
        for rank in range(ranks):
            parts: dict[Phase, tuple[float, float]] = {
                "data": (0.01, 0.0),
                "forward": (own[rank], more[rank][1]),
                "backward": (0.2 + max(own) - own[rank], 0.0),
                "optimizer": (0.02, 0.0),
            }
            for phase, (seconds, starved_s) in parts.items():
                watch.learn(rank, SectionTime(phase=phase, step=step, seconds=seconds, starved_s=starved_s))
        if slow := watch.judge():
            named.append(slow)
    return named


@settings(max_examples=20, deadline=None)
@given(
    ranks=st.integers(2, 8),
    slow=st.integers(0, 7),
    factor=st.floats(1.8, 20.0),
    seed=st.integers(0, 99),
)
def test_a_slow_rank_is_named_once_with_its_ratio(ranks: int, slow: int, factor: float, seed: int) -> None:
    slow %= ranks

    def extra(rank: int, step: int) -> tuple[float, float]:
        return (0.1 * (factor - 1) if rank == slow and step > 60 else 0.0), 0.0

    named = run(extra, ranks=ranks, seed=seed)
    assert [one.rank for one in named] == [slow]
    assert named[0].ratio == pytest.approx(factor, rel=0.2)
    assert 60 + 3 * 16 <= named[0].step <= 60 + 5 * 16


@settings(max_examples=20, deadline=None)
@given(ranks=st.integers(1, 8), seed=st.integers(0, 9999), noise=st.floats(0.0, 0.5))
def test_ranks_with_noise_alone_are_never_named(ranks: int, seed: int, noise: float) -> None:
    assert run(ranks=ranks, seed=seed, noise=noise) == []


def test_one_that_recovers_and_is_slow_again_is_named_again() -> None:
    def extra(rank: int, step: int) -> tuple[float, float]:
        return (0.2 if rank == 2 and (step <= 100 or step > 200) else 0.0), 0.0

    assert [one.rank for one in run(extra)] == [2, 2]


def test_two_slow_ranks_of_eight_are_both_named() -> None:
    def extra(rank: int, step: int) -> tuple[float, float]:
        return {1: 0.3, 6: 0.2}.get(rank, 0.0), 0.0

    assert sorted(one.rank for one in run(extra, ranks=8)) == [1, 6]


def test_a_rank_that_a_neighbour_takes_the_cpu_from_is_not_slow() -> None:
    """It waits for a CPU for as long as it works, and works half as long again with cold caches."""

    def extra(rank: int, step: int) -> tuple[float, float]:
        return (0.15, 0.1) if rank == 1 else (0.0, 0.0)

    assert run(extra) == []


def test_a_slow_rank_is_named_on_a_crowded_machine_too() -> None:
    def extra(rank: int, step: int) -> tuple[float, float]:
        return (0.35 if rank == 1 else 0.1), 0.1

    assert [one.rank for one in run(extra)] == [1]


def test_single_slow_steps_are_not_persistent() -> None:
    def extra(rank: int, step: int) -> tuple[float, float]:
        return (5.0 if rank == 1 and step % 16 == 0 else 0.0), 0.0

    assert run(extra) == []


def test_a_slow_part_too_small_to_hold_up_the_others_is_left_alone() -> None:
    watch = StragglerWatch(2)
    for step in range(200):
        for rank, seconds in enumerate((0.001, 0.02)):
            watch.learn(rank, SectionTime(phase="data", step=step, seconds=seconds, starved_s=0.0))
            watch.learn(rank, SectionTime(phase="backward", step=step, seconds=0.4, starved_s=0.0))
            watch.learn(rank, SectionTime(phase="optimizer", step=step, seconds=0.1, starved_s=0.0))
        assert watch.judge() is None


def test_after_a_new_start_it_is_judged_from_the_beginning() -> None:
    def extra(rank: int, step: int) -> tuple[float, float]:
        return (0.3 if rank == 0 else 0.0), 0.0

    watch = StragglerWatch(3)
    assert [one.rank for one in go(watch, extra, ranks=3, steps=range(1, 60))] == [0]
    for rank in range(3):
        watch.learn(rank, SectionTime(phase="setup", step=0, seconds=3.0, starved_s=0.0))
    assert go(watch, extra, ranks=3, steps=range(40, 90)) == []
    assert go(watch, nothing, ranks=3, steps=range(90, 200)) == []

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.schemas import Constant, Cosine, Optimizer, WarmupStableDecay
from l3_modeltools.training.schedule import learning_rate

PEAK = 2e-3


@st.composite
def schedules(draw: st.DrawFn) -> tuple[Constant | Cosine | WarmupStableDecay, int]:
    """A schedule and a number of steps that it fits into."""
    warmup = draw(st.integers(0, 50))
    final = draw(st.floats(0, 1))
    decay = draw(st.integers(1, 50))
    schedule = draw(
        st.sampled_from(
            [
                Constant(warmup_steps=warmup),
                Cosine(warmup_steps=warmup, final_share=final),
                WarmupStableDecay(warmup_steps=warmup, decay_steps=decay, final_share=final),
            ]
        )
    )
    return schedule, draw(st.integers(max(1, schedule.shortest), max(1, schedule.shortest) + 100))


def rates(schedule: Constant | Cosine | WarmupStableDecay, steps: int) -> list[float]:
    optimizer = Optimizer(learning_rate=PEAK, schedule=schedule)
    return [learning_rate(optimizer, step=step, steps=steps) for step in range(1, steps + 1)]


@given(schedules())
def test_it_rises_evenly_then_never_again(drawn: tuple[Constant | Cosine | WarmupStableDecay, int]) -> None:
    schedule, steps = drawn
    found, warmup = rates(schedule, steps), schedule.warmup_steps
    assert found[:warmup] == pytest.approx([PEAK * step / warmup for step in range(1, warmup + 1)])
    falling = found[max(0, warmup - 1) :]
    assert all(after <= before * (1 + 1e-12) for before, after in pairwise(falling))
    assert max(found) <= PEAK * (1 + 1e-12)


@given(schedules())
def test_it_ends_at_its_final_share(drawn: tuple[Constant | Cosine | WarmupStableDecay, int]) -> None:
    schedule, steps = drawn
    if isinstance(schedule, Constant):
        assert rates(schedule, steps)[-1] == PEAK
    elif steps > schedule.warmup_steps:
        assert rates(schedule, steps)[-1] == pytest.approx(PEAK * schedule.final_share, abs=1e-15)


def test_a_cosine_is_halfway_down_in_the_middle() -> None:
    found = rates(Cosine(warmup_steps=10, final_share=0.2), 110)
    assert found[10 + 50 - 1] == pytest.approx(PEAK * 0.6)
    assert found[10 + 25 - 1] == pytest.approx(PEAK * (0.2 + 0.8 * (1 + math.cos(math.pi / 4)) / 2))


def test_wsd_stays_until_its_last_steps() -> None:
    found = rates(WarmupStableDecay(warmup_steps=4, decay_steps=5), 20)
    assert found[3:15] == [PEAK] * 12
    assert found[15:] == pytest.approx([PEAK * share for share in (0.8, 0.6, 0.4, 0.2, 0.0)], abs=1e-15)

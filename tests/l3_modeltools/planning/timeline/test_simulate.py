"""A pipeline's step, turn by turn: laws that hold whatever the seconds, and lengths that are known."""

from itertools import pairwise
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools import preset
from l3_modeltools.planning.cost.bytes.flight import in_flight
from l3_modeltools.planning.timeline import Pace, Timeline, simulate, turns_of
from l3_modeltools.schemas import Degrees, Pipeline, Strategy, balanced_offset
from tests.support.planner import setting

SECONDS = st.floats(0.1, 3.0)
LLAMA = preset("llama-3.1-405b")


@st.composite
def steps(draw: st.DrawFn) -> tuple[Pace, str, int]:
    """Uneven stages, any schedule, any number of micro batches."""
    schedule = draw(st.sampled_from(("1f1b", "interleaved", "zero_bubble")))
    pp, vp = draw(st.integers(1, 5)), draw(st.integers(2, 3)) if schedule == "interleaved" else 1
    batches = pp * draw(st.integers(1, 4)) if vp > 1 else draw(st.integers(1, 12))
    forward, backward = (tuple(tuple(draw(SECONDS) for _ in range(pp)) for _ in range(vp)) for _ in range(2))
    weights = tuple(tuple(draw(st.floats(0.0, one)) for one in row) for row in backward)
    hand_over = draw(st.sampled_from((0.0, 0.05)))
    return (
        Pace(forward=forward, backward=backward, weights=weights, hand_over=hand_over),
        schedule,
        batches,
    )


def even(schedule: str, pp: int, vp: int, batches: int) -> Timeline:
    """Stages of one second forward and two backward, dealt to their virtual stages."""
    forward, backward = ((1 / vp,) * pp,) * vp, ((2 / vp,) * pp,) * vp
    return simulate(Pace(forward=forward, backward=backward, weights=forward), schedule, batches)


@given(steps())
def test_no_rank_does_two_things_at_once_and_all_is_done(step: tuple[Pace, str, int]) -> None:
    pace, schedule, batches = step
    timeline = simulate(pace, schedule, batches)
    kinds = ("F", "B", "W") if schedule == "zero_bubble" else ("F", "B")
    for events in timeline.ranks:
        assert all(one.end <= other.start + 1e-9 for one, other in pairwise(events))
        for kind in kinds:
            done = [(event.batch, event.chunk) for event in events if event.kind == kind]
            assert sorted(done) == [(b, v) for b in range(batches) for v in range(len(pace.forward))]


@given(steps())
def test_a_turn_begins_when_what_it_works_on_has_come(step: tuple[Pace, str, int]) -> None:
    pace, schedule, batches = step
    timeline = simulate(pace, schedule, batches)
    pp, vp = len(pace.forward[0]), len(pace.forward)
    found = {
        (event.kind, event.batch, event.chunk, p): event
        for p, events in enumerate(timeline.ranks)
        for event in events
    }
    for (kind, batch, v, p), event in found.items():
        if kind == "F" and (p, v) != (0, 0):
            before = found["F", batch, v, p - 1] if p else found["F", batch, v - 1, pp - 1]
            assert event.start >= before.end + (pace.hand_over if pp > 1 else 0) - 1e-9
        if kind == "B":
            if (p, v) == (pp - 1, vp - 1):
                before = found["F", batch, v, p]
                assert event.start >= before.end - 1e-9
            else:
                before = found["B", batch, v, p + 1] if p < pp - 1 else found["B", batch, v + 1, 0]
                assert event.start >= before.end + (pace.hand_over if pp > 1 else 0) - 1e-9
        if kind == "W":
            assert event.start >= found["B", batch, v, p].end - 1e-9


@given(steps())
def test_a_step_is_never_shorter_than_its_bounds(step: tuple[Pace, str, int]) -> None:
    pace, schedule, batches = step
    timeline = simulate(pace, schedule, batches)
    for p in range(len(pace.forward[0])):
        work = batches * sum(row[p] for table in (pace.forward, pace.backward) for row in table)
        assert timeline.length >= work - 1e-6
        assert isclose(1 - timeline.idle(p), work / timeline.length, abs_tol=1e-9)
    assert timeline.length >= sum(map(sum, pace.forward)) + pace.backward[0][0] - pace.weights[0][0] - 1e-9


@pytest.mark.parametrize(("pp", "vp", "batches"), [(1, 1, 3), (4, 1, 8), (4, 2, 8), (8, 4, 32), (16, 4, 256)])
def test_even_stages_take_as_long_as_the_formula_says(pp: int, vp: int, batches: int) -> None:
    """arXiv:2104.04473, section 2.2: (m + (pp - 1) / vp) · (forward + backward)."""
    found = even("interleaved" if vp > 1 else "1f1b", pp, vp, batches)
    assert isclose(found.length, 3 * (batches + (pp - 1) / vp))


@pytest.mark.parametrize(("pp", "batches"), [(2, 4), (4, 8), (8, 64)])
def test_zero_bubble_waits_only_for_what_the_gradients_of_weights_do_not_fill(pp: int, batches: int) -> None:
    """arXiv:2401.10241, section 2.3: (pp - 1) · (F + B - W), with all three of one second."""
    found = even("zero_bubble", pp, 1, batches)
    assert isclose(found.length, 3 * batches + (pp - 1))
    assert all(found.held(p) <= pp for p in range(pp))


@pytest.mark.parametrize(
    ("schedule", "pp", "vp", "batches"),
    [("1f1b", 4, 1, 2), ("1f1b", 8, 1, 32), ("interleaved", 4, 2, 8), ("interleaved", 8, 3, 24)],
)
def test_what_is_held_is_what_the_account_of_memory_says(
    schedule: str, pp: int, vp: int, batches: int
) -> None:
    strategy = Strategy(
        degrees=Degrees(pp=pp, vp=vp),
        pipeline=Pipeline(
            schedule="interleaved" if vp > 1 else "1f1b", offset=balanced_offset(LLAMA.layers, pp, vp)
        ),
    )
    told = in_flight(setting(LLAMA, strategy, batches=batches))
    found = even(schedule, pp, vp, batches)
    assert [found.held(p) for p in range(pp)] == [sum(stage) for stage in told]


def test_the_first_turns_go_ahead_and_the_others_alternate() -> None:
    told = [f"{turn.kind}{turn.batch}" for turn in turns_of("1f1b", 1, 3, 1, 4)]
    assert told == ["F0", "F1", "B0", "F2", "B1", "F3", "B2", "B3"]
    first = [f"{turn.kind}{turn.batch}.{turn.chunk}" for turn in turns_of("interleaved", 0, 2, 2, 4)][:6]
    assert first == ["F0.0", "F1.0", "F0.1", "F1.1", "F2.0", "B0.1"]


def test_tables_of_different_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="shapes"):
        simulate(Pace(forward=((1.0,),), backward=((1.0, 1.0),), weights=((0.0,),)), "1f1b", 1)

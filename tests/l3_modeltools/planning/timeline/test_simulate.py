"""A pipeline's step, turn by turn: laws that hold whatever the seconds, and lengths that are known."""

from collections.abc import Iterator
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
LEAST, MOST = {"1f1b": 1, "interleaved": 2, "zero_bubble": 1}, {"1f1b": 1, "interleaved": 3, "zero_bubble": 2}
"""Virtual stages that each schedule may have."""

LLAMA = preset("llama-3.1-405b")


@st.composite
def steps(draw: st.DrawFn) -> tuple[Pace, str, int]:
    """Uneven stages, any schedule, any number of micro batches."""
    schedule = draw(st.sampled_from(("1f1b", "interleaved", "zero_bubble")))
    pp, vp = draw(st.integers(1, 5)), draw(st.integers(LEAST[schedule], MOST[schedule]))
    batches = draw(st.integers(1, 13))
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


def megatron_order(p: int, pp: int, vp: int, batches: int) -> list[tuple[str, int, int]]:
    """Each rank's turns by the arithmetic of Megatron-LM's schedule, from the number of a turn to batch and chunk."""

    def turn(kind: str, number: int) -> tuple[str, int, int]:
        chunk = number % (pp * vp) // pp
        batch = number // (pp * vp) * pp + number % pp if vp > 1 else number
        return kind, batch, (chunk if kind == "F" else vp - 1 - chunk) if vp > 1 else 0

    total = batches * vp
    warm_up = min(total, pp - p - 1 if vp == 1 else 2 * (pp - p - 1) + (vp - 1) * pp)
    order = [turn("F", number) for number in range(warm_up)]
    for number in range(total - warm_up):
        order += [turn("F", warm_up + number), turn("B", number)]
    return order + [turn("B", number) for number in range(total - warm_up, total)]


def relaxed(pace: Pace, batches: int) -> dict[tuple[str, int, int, int], float]:
    """When each turn begins: the least times that break no rule, found by pushing turns back until none is broken."""
    pp, vp = len(pace.forward[0]), len(pace.forward)
    orders = [megatron_order(p, pp, vp, batches) for p in range(pp)]
    start = {(*turn, p): 0.0 for p in range(pp) for turn in orders[p]}

    def end(turn: tuple[str, int, int, int]) -> float:
        table = pace.forward if turn[0] == "F" else pace.backward
        return start[turn] + table[turn[2]][turn[3]]

    def rules() -> Iterator[tuple[tuple[str, int, int, int], float]]:
        for p in range(pp):
            for before, (kind, batch, chunk) in zip([None, *orders[p]], orders[p], strict=False):
                turn = (kind, batch, chunk, p)
                if before is not None:
                    yield turn, end((*before, p))
                place = chunk * pp + p + (-1 if kind == "F" else 1)
                if 0 <= place < pp * vp:
                    other = (kind, batch, place // pp, place % pp)
                    yield turn, end(other) + (pace.hand_over if place % pp != p else 0.0)
                elif kind == "B":
                    yield turn, end(("F", batch, chunk, p))

    while True:
        late = [(turn, least) for turn, least in rules() if start[turn] < least]
        if not late:
            return start
        for turn, least in late:
            start[turn] = max(start[turn], least)


@given(steps().filter(lambda step: step[1] != "zero_bubble"))
def test_uneven_stages_begin_when_the_rules_of_the_schedule_first_let_them(
    step: tuple[Pace, str, int],
) -> None:
    pace, schedule, batches = step
    pp = len(pace.forward[0])
    batches = batches if schedule == "1f1b" else pp * (1 + batches // 4)
    expected = relaxed(pace, batches)
    found = {
        (event.kind, event.batch, event.chunk, p): event.start
        for p, events in enumerate(simulate(pace, schedule, batches).ranks)
        for event in events
    }
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(("pp", "vp", "batches"), [(1, 1, 3), (4, 1, 8), (4, 2, 8), (8, 4, 32), (16, 4, 256)])
def test_even_stages_take_as_long_as_the_formula_says(pp: int, vp: int, batches: int) -> None:
    """arXiv:2104.04473, section 2.2: (m + (pp - 1) / vp) · (forward + backward)."""
    found = even("interleaved" if vp > 1 else "1f1b", pp, vp, batches)
    assert isclose(found.length, 3 * (batches + (pp - 1) / vp))


@pytest.mark.parametrize(
    ("pp", "vp", "batches"), [(2, 1, 4), (4, 1, 8), (8, 1, 64), (4, 2, 16), (8, 2, 32), (32, 2, 64)]
)
def test_zero_bubble_waits_only_for_what_the_gradients_of_weights_do_not_fill(
    pp: int, vp: int, batches: int
) -> None:
    """arXiv:2401.10241, section 2.3: (pp - 1) · (F + B - W), with all three of one second; virtual stages less."""
    found = even("zero_bubble", pp, vp, batches)
    assert isclose(found.length, 3 * batches + (pp - 1) / vp)
    assert all(found.held(p) <= (pp if vp == 1 else (vp + 1) * pp - 1) for p in range(pp))


@pytest.mark.parametrize("schedule", ["interleaved", "zero_bubble"])
@pytest.mark.parametrize("batches", range(1, 14))
def test_no_number_of_micro_batches_makes_ranks_wait_for_each_other(schedule: str, batches: int) -> None:
    for pp in range(1, 7):
        for vp in (2, 3, 4):
            found = even(schedule, pp, vp, batches)
            assert found.length >= 3 * batches - 1e-9
            if schedule == "zero_bubble" and batches % pp == 0:
                assert all(found.held(p) <= (vp + 1) * pp - 1 for p in range(pp))


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
    told = [f"{turn.kind}{turn.batch}" for turn in turns_of(1, 3, 1, 4)]
    assert told == ["F0", "F1", "B0", "F2", "B1", "F3", "B2", "B3"]
    first = [f"{turn.kind}{turn.batch}.{turn.chunk}" for turn in turns_of(0, 2, 2, 4)][:6]
    assert first == ["F0.0", "F1.0", "F0.1", "F1.1", "F2.0", "B0.1"]


def test_tables_of_different_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="shapes"):
        simulate(Pace(forward=((1.0,),), backward=((1.0, 1.0),), weights=((0.0,),)), "1f1b", 1)

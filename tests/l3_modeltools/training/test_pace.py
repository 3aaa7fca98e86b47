from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.resilience.interval import Rhythm
from l3_modeltools.training.pace import CopyRhythm, Pace, SlowWatch


@given(
    st.floats(0.001, 30.0),
    st.floats(0.0001, 5.0),
    st.integers(1, 400),
)
def test_copies_take_no_more_than_their_share_but_for_the_first(
    step_s: float, copy_s: float, steps: int
) -> None:
    rhythm, spent = CopyRhythm(share=0.01), 0.0
    for _ in range(steps):
        rhythm.stepped(step_s)
        if rhythm.is_due:
            rhythm.copied(copy_s)
            spent += copy_s
    assert copy_s <= spent <= max(copy_s, 0.01 * step_s * steps) + 1e-9


def test_where_there_can_be_no_copy_none_is_tried_again() -> None:
    rhythm = CopyRhythm()
    rhythm.stepped(100.0)
    rhythm.copied(None)
    rhythm.stepped(1e9)
    assert not rhythm.is_due


def test_a_slow_save_is_told_once() -> None:
    watch = SlowWatch()
    assert [watch.is_slow(seconds, []) for seconds in (119.0, 121.0, 122.0)] == [False, True, False]
    assert not watch.is_slow(29.0, [1.0])
    assert not watch.is_slow(49.0, [10.0, 10.0])
    assert [watch.is_slow(seconds, [10.0, 10.0]) for seconds in (51.0, 52.0)] == [True, False]
    assert watch.is_slow(51.0, [10.0, 10.0, 10.0])


def test_saves_are_due_by_their_rhythm_since_the_last() -> None:
    pace = Pace(Rhythm(devices=1))
    pace.stepped(20.0)
    assert not pace.is_save_due
    pace.stepped(20.0)
    assert pace.is_save_due, "the first is due after a minute"
    pace.saved(1.0)
    assert not pace.is_save_due
    assert not Pace(None).is_save_due


def steps_until_due(pace: Pace, step_s: float) -> int:
    for steps in range(1, 100):
        pace.stepped(step_s)
        if pace.is_save_due:
            pace.saved(2.0)
            return steps
    return 0


def test_each_save_begins_the_count_anew() -> None:
    pace = Pace(Rhythm(devices=16_384))
    first, *others = [steps_until_due(pace, 20.0) for _ in range(4)]
    assert first == 2, "after a minute"
    assert all(9 <= steps <= 11 for steps in others), "then by what a save costs"

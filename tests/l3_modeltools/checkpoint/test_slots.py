"""Two slots in memory: what is chosen is the newest that all can go on from, and a torn copy is never chosen."""

import os
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from l3_modeltools.checkpoint.slots import Kept, SlotFile, choose_kept, skips_before
from l3_modeltools.schemas import SkippedSteps

LIKE = Kept(run="r", layout="l", ranks=2, sharded=False, skipped="", step=0, tokens=0)
SHARDED = replace(LIKE, sharded=True)
NONE = skips_before((), 0)


def kept(step: int, like: Kept = LIKE, skipped: Sequence[SkippedSteps] = ()) -> Kept:
    return replace(like, step=step, tokens=step * 10, skipped=skips_before(skipped, step))


def part(first: int, last: int) -> SkippedSteps:
    return SkippedSteps(first_step=first, last_step=last, reason="r")


def test_a_slot_holds_what_was_said_last() -> None:
    file = SlotFile(os.memfd_create("test"))
    assert file.read() == (None, None)
    file.reserve(4096)
    assert file.read() == (None, None)
    file.end(1, kept(5))
    assert file.read() == (None, kept(5))
    file.begin(1)
    assert file.read() == (None, None)
    os.close(file.descriptor)


def test_of_copies_that_are_alike_the_newest_counts() -> None:
    assert choose_kept([(kept(3), None), (kept(4), kept(5))], LIKE, ()) == (1, kept(5))
    assert choose_kept([(kept(5), None), (kept(5), None)], LIKE, ()) == (0, kept(5))
    assert choose_kept([(None, None), (None, None)], LIKE, ()) is None
    assert choose_kept([], LIKE, ()) is None


def test_of_shards_the_newest_that_all_have_counts() -> None:
    held = [(kept(3, SHARDED), kept(6, SHARDED)), (kept(3, SHARDED), kept(4, SHARDED))]
    assert choose_kept(held, SHARDED, ()) == (0, kept(3, SHARDED))
    assert choose_kept([held[0], (None, None)], SHARDED, ()) is None


@pytest.mark.parametrize(
    "other",
    [{"run": "s"}, {"layout": "m"}, {"ranks": 4}, {"sharded": True}],
    ids=lambda other: next(iter(other)),
)
def test_what_is_anothers_is_not_chosen(other: dict[str, object]) -> None:
    assert choose_kept([(replace(kept(3), **other), kept(2))], LIKE, ()) == (0, kept(2))


def test_a_state_that_learnt_what_is_left_out_now_is_not_chosen() -> None:
    skipped = (part(4, 5),)
    assert choose_kept([(kept(6), kept(3))], LIKE, skipped) == (0, kept(3))
    assert choose_kept([(kept(6, skipped=skipped), kept(3))], LIKE, skipped) == (0, kept(6, skipped=skipped))


steps = st.integers(1, 20)


@given(st.lists(st.tuples(steps, steps), max_size=5), steps)
def test_how_steps_to_leave_out_are_written_down_does_not_matter(
    ranges: list[tuple[int, int]], step: int
) -> None:
    parts = [part(min(one), max(one)) for one in ranges]
    single = {each for one in ranges for each in range(min(one), max(one) + 1)}
    apart = [part(each, each) for each in sorted(single)]
    assert skips_before(parts, step) == skips_before(apart, step)
    later = [*apart, part(step + 1, step + 3)]
    assert skips_before(later, step) == skips_before(apart, step)
    if step not in single:
        assert skips_before([*apart, part(step, step)], step) != skips_before(apart, step)


slots = st.tuples(*[st.none() | steps.map(lambda step: kept(step, SHARDED))] * 2)


@given(st.lists(slots, min_size=2, max_size=2))
def test_shards_are_chosen_of_one_step_and_the_highest(held: list[tuple[Kept | None, Kept | None]]) -> None:
    common = set.intersection(*({one.step for one in pair if one} for pair in held))
    found = choose_kept(held, SHARDED, ())
    assert (found[1].step if found else 0) == max(common, default=0)
    assert choose_kept(held[:1], SHARDED, ()) is None, "the part of a rank is missing"

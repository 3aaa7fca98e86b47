"""The laws of keeping and of room."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.checkpoint import Found, plan_room, superseded
from l3_modeltools.checkpoint.keep import dispensable
from l3_modeltools.schemas import Checkpointing

MIB = 2**20
KEEPS = st.builds(
    Checkpointing,
    every_steps=st.just(1),
    keep_last=st.integers(1, 4),
    keep_every_steps=st.none() | st.integers(1, 10),
    max_bytes=st.none() | st.integers(0, 100),
)
HELD = st.lists(
    st.builds(
        Found,
        step=st.integers(0, 30),
        directory=st.just(Path("x")),
        size_bytes=st.integers(0, 40),
        fault=st.sampled_from(["", "", "torn"]),
    ),
    max_size=8,
    unique_by=lambda found: found.step,
)


def held(*steps: int, size_bytes: int = MIB, fault: str = "") -> list[Found]:
    return [Found(step=step, directory=Path(str(step)), size_bytes=size_bytes, fault=fault) for step in steps]


def test_the_last_and_the_milestones_stay() -> None:
    keep = Checkpointing(every_steps=5, keep_last=2, keep_every_steps=20)
    assert superseded([5, 10, 15, 20, 25, 30, 35], keep) == (5, 10, 15, 25)


@given(steps=st.sets(st.integers(0, 100)), keep=KEEPS)
def test_the_newest_always_stays_and_a_second_pass_removes_nothing(
    steps: set[int], keep: Checkpointing
) -> None:
    gone = set(superseded(steps, keep))
    assert not gone & set(sorted(steps)[-keep.keep_last :])
    assert superseded(steps - gone, keep) == ()


def test_nothing_goes_while_there_is_room() -> None:
    room = plan_room(MIB, step=9, held=held(1, 2, 3), keep=Checkpointing(keep_last=1), free_bytes=2 * MIB)
    assert (room.remove, room.refusal) == ((), "")


def test_the_oldest_goes_first_and_no_more_than_needed() -> None:
    room = plan_room(MIB, step=9, held=held(3, 1, 2), keep=Checkpointing(keep_last=1), free_bytes=0)
    assert [found.step for found in room.remove] == [1]


def test_what_is_damaged_goes_before_what_is_sound() -> None:
    everything = [*held(1, 2), *held(5, fault="torn")]
    room = plan_room(MIB, step=9, held=everything, keep=Checkpointing(keep_last=1), free_bytes=0)
    assert [found.step for found in room.remove] == [5]


def test_a_refusal_has_figures() -> None:
    keep = Checkpointing(max_bytes=3 * MIB)
    room = plan_room(2 * MIB, step=9, held=held(1, 2), keep=keep, free_bytes=10 * MIB)
    assert room.refusal == "2 MiB to save, 2 MiB already taken by checkpoints that stay, and max_bytes 3 MiB"
    room = plan_room(2 * MIB, step=9, held=held(1), keep=Checkpointing(), free_bytes=MIB)
    assert room.refusal == "2 MiB to save and 1 MiB free"


@given(needed=st.integers(0, 60), step=st.integers(0, 31), held=HELD, keep=KEEPS, free=st.integers(0, 60))
def test_room_is_room_and_the_newest_sound_one_stays(
    needed: int, step: int, held: list[Found], keep: Checkpointing, free: int
) -> None:
    room = plan_room(needed, step=step, held=held, keep=keep, free_bytes=free)
    sound = [found for found in held if not found.fault and found.step < step]
    newest = max(sound, key=lambda found: found.step, default=None)
    assert newest not in room.remove
    freed = sum(found.size_bytes for found in room.remove)
    taken = sum(found.size_bytes for found in held) - freed
    fits = needed <= free + freed and (keep.max_bytes is None or taken + needed <= keep.max_bytes)
    assert fits == (not room.refusal)
    allowed = set(superseded([step, *(found.step for found in sound)], keep))
    assert all(found.fault or found.step in allowed for found in room.remove)


def test_what_is_unsound_in_the_place_of_the_new_one_is_not_counted_on() -> None:
    there = Found(step=5, directory=Path("step-00000005.damaged-1"), size_bytes=100, fault="torn")
    room = plan_room(50, step=5, held=[there], keep=Checkpointing(max_bytes=120), free_bytes=1000)
    assert room.remove == () and "max_bytes" in room.refusal


@given(HELD, KEEPS)
def test_before_its_time_goes_the_oldest_that_neither_is_the_newest_nor_a_milestone(
    found: list[Found], keep: Checkpointing
) -> None:
    sound = sorted(one.step for one in found if not one.fault)
    every = keep.keep_every_steps
    may_go = [step for step in sound[:-1] if every is None or step % every]
    gone = dispensable(found, keep)
    assert (gone.step if gone else None) == (may_go[0] if may_go else None)

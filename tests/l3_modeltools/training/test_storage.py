"""A disk that takes no checkpoint stops no run: room is made, or waited for, and a damaged checkpoint is told once."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from l3_modeltools.checkpoint import Shelf
from l3_modeltools.runs import read_faults, read_marks
from l3_modeltools.schemas import Checkpointing, Train
from tests.support.breaks import Break
from tests.support.rank_runs import Told, make_data, make_run, read_told, recut, small_train
from tests.support.seats import Seats
from tests.support.small_disk import a_small_disk, fill
from tests.support.world import eventually

pytestmark = pytest.mark.real

STEPS = 10
EACH = Checkpointing(every_steps=3, keep_last=20)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("data") / "pattern")


def a_train(data: Path, saving: Checkpointing = EACH) -> Train:
    return replace(recut(small_train(data, steps=STEPS), ranks=2), checkpoint=saving)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, data: Path) -> dict[int, Told]:
    run = make_run(tmp_path_factory.mktemp("runs") / "undisturbed", a_train(data))
    with Seats(run, 2) as seats:
        seats.finish()
    return read_told(run)


def words(run: Path) -> list[str]:
    return [mark.mark for mark in read_marks(run) if mark.mark in ("paused", "went_on")]


def test_where_nothing_can_be_freed_it_is_waited_for(
    data: Path, tmp_path: Path, undisturbed: dict[int, Told]
) -> None:
    with a_small_disk(tmp_path, "size=4m") as disk:
        run = make_run(disk / "run", a_train(data))
        filler = fill(disk, leave_bytes=400_000)
        with Seats(run, 2) as seats:
            seats.start()
            eventually(lambda: [seats.beat(rank).phase for rank in (0, 1)] == ["paused"] * 2)
            eventually(lambda: words(run) == ["paused"])
            filler.unlink()
            assert [end.code for end in seats.wait()] == [0, 0], seats.log()
        assert read_told(run) == undisturbed
        assert words(run) == ["paused", "went_on"]
        (fault,) = read_faults(run)
        assert (fault.fault_class, fault.taken, fault.section) == ("storage_full", "pause", "save")
        paused = next(mark for mark in read_marks(run) if mark.mark == "paused")
        assert paused.fault_id == fault.fault_id
        assert [found.fault for found in Shelf(run / "checkpoints").found() if found.step == STEPS] == [""]


def test_a_disk_without_a_single_byte_costs_no_line(
    data: Path, tmp_path: Path, undisturbed: dict[int, Told]
) -> None:
    with a_small_disk(tmp_path, "size=4m") as disk:
        run = make_run(disk / "run", a_train(data))
        with Seats(run, 2, notes=tmp_path) as seats:
            seats.start(Break(rank=0, step=2, what="sleep"))
            seats.until(lambda: seats.beat(0).step == 2 and 1 in read_told(run))
            filler = fill(disk)
            eventually(lambda: words(run) == ["paused"])
            filler.unlink()
            assert [end.code for end in seats.wait()] == [0, 0]
        assert read_told(run) == undisturbed
        assert words(run) == ["paused", "went_on"]
        assert [fault.fault_class for fault in read_faults(run)] == ["storage_full"]


def test_the_oldest_goes_where_that_makes_room(
    data: Path, tmp_path: Path, undisturbed: dict[int, Told]
) -> None:
    with a_small_disk(tmp_path, "size=2m") as disk:
        run = make_run(disk / "run", a_train(data, Checkpointing(every_steps=1, keep_last=20)))
        with Seats(run, 2) as seats:
            seats.finish()
        found = Shelf(run / "checkpoints").found()
        assert [one.fault for one in found] == [""] * len(found) and found[-1].step == STEPS
        assert found[0].step > 1
        faults = read_faults(run)
        assert faults and {(fault.fault_class, fault.taken) for fault in faults} == {
            ("storage_full", "free_space")
        }
        assert read_told(run) == undisturbed and words(run) == []


def test_a_wish_to_stop_is_heard_while_it_waits(data: Path, tmp_path: Path) -> None:
    with a_small_disk(tmp_path, "size=4m") as disk:
        run = make_run(disk / "run", a_train(data))
        fill(disk, leave_bytes=400_000)
        with Seats(run, 2) as seats:
            seats.start()
            eventually(lambda: words(run) == ["paused"])
            seats.kill(0, 15)
            ends = seats.wait()
    assert [(end.word.kind, end.code) for end in ends if end.word] == [("stopped", 143)] * 2


def test_a_damaged_checkpoint_is_reported_once(
    data: Path, tmp_path: Path, undisturbed: dict[int, Told]
) -> None:
    run = make_run(tmp_path / "run", a_train(data))
    with Seats(run, 2) as seats:
        seats.finish()
    file = next((run / "checkpoints" / f"step-{STEPS:08}").glob("*.distcp"))
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    for _ in range(2):
        with Seats(run, 2) as seats:
            seats.start(Break(rank=0, step=STEPS, what="kill"))
            assert seats.wait()[0].code == -9
    with Seats(run, 2) as seats:
        seats.finish()
    (fault,) = read_faults(run)
    assert (fault.fault_class, fault.section, fault.taken) == ("checkpoint_damaged", "setup", "roll_back")
    assert f"step {STEPS}" in fault.summary
    assert read_told(run) == undisturbed


def test_saves_follow_their_cost_where_the_interval_is_measured(
    data: Path, tmp_path: Path, undisturbed: dict[int, Told]
) -> None:
    run = make_run(tmp_path / "run", a_train(data, Checkpointing(interval="auto", every_steps=1)))
    with Seats(run, 2) as seats:
        seats.finish()
    assert read_told(run) == undisturbed
    saved = [mark for mark in read_marks(run) if mark.mark == "saved"]
    assert [mark.step for mark in saved] == [STEPS], "a minute has not gone by"
    assert saved[0].seconds is not None

"""What a run cannot go on without writing is waited for where the disk takes nothing: left-out batches, the outcome."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from l2_scheduler.schemas import Job, JobStatus
from l3_modeltools.runs import Happened, judge_run, load_run, read_faults, read_marks, read_outcome
from l3_modeltools.schemas import Checkpointing, Resilience, Run, Train
from tests.support.breaks import Break
from tests.support.rank_runs import Told, make_data, make_run, read_told, recut, small_train
from tests.support.seats import Seats
from tests.support.small_disk import a_small_disk, fill
from tests.support.world import eventually

pytestmark = pytest.mark.real

STEPS = 8
SPOILT = 4
NOT_FINITE = Break(rank=1, step=SPOILT, what="nan", times=1000)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("data") / "pattern")


def a_train(data: Path) -> Train:
    return replace(
        recut(small_train(data, steps=STEPS), ranks=2),
        checkpoint=Checkpointing(every_steps=1000),
        resilience=Resilience(on_not_finite="skip_batches"),
    )


@pytest.fixture(scope="module")
def with_room(tmp_path_factory: pytest.TempPathFactory, data: Path) -> dict[int, Told]:
    run = make_run(tmp_path_factory.mktemp("runs") / "room", a_train(data))
    with Seats(run, 2) as seats:
        seats.start(NOT_FINITE)
        assert [end.code for end in seats.wait()] == [0, 0], seats.log()
    return read_told(run)


def words(run: Path) -> list[str]:
    return [mark.mark for mark in read_marks(run) if mark.mark in ("paused", "went_on")]


def standing(run: Path) -> Run:
    """Say how a run stands whose job goes on."""
    status = JobStatus(job=Job(name="j", command=("x",)), job_id="1", state="RUNNING")
    happened = Happened(marks=read_marks(run), faults=read_faults(run))
    return judge_run(load_run(run), status, read_outcome(run), (), happened=happened)


def test_batches_are_left_out_as_soon_as_that_can_be_written_down(
    data: Path, tmp_path: Path, with_room: dict[int, Told]
) -> None:
    with a_small_disk(tmp_path, "size=4m") as disk:
        run = make_run(disk / "run", a_train(data))
        with Seats(run, 2, notes=tmp_path) as seats:
            seats.start(NOT_FINITE, Break(rank=0, step=2, what="sleep"))
            seats.until(lambda: seats.beat(0).step == 2 and 1 in read_told(run))
            filler = fill(disk)
            eventually(lambda: [seats.beat(rank).phase for rank in (0, 1)] == ["paused"] * 2)
            eventually(lambda: words(run) == ["paused"])
            stands = standing(run)
            assert (stands.state, stands.reason) == ("SUSPENDED", "no space left on device")
            assert load_run(run).skipped == ()
            filler.unlink()
            assert [end.code for end in seats.wait()] == [0, 0], seats.log()
        assert read_told(run) == with_room
        assert [(part.first_step, part.last_step) for part in load_run(run).skipped] == [(SPOILT, SPOILT)]
        assert words(run) == ["paused", "went_on"]
        faults = {fault.fault_class: fault for fault in read_faults(run)}
        assert sorted(faults) == ["not_finite", "storage_full"]
        assert faults["storage_full"].taken == "pause" and "run.json" in faults["storage_full"].summary


def test_a_run_told_to_stop_meanwhile_settles_the_step_when_it_goes_on(
    data: Path, tmp_path: Path, with_room: dict[int, Told]
) -> None:
    with a_small_disk(tmp_path, "size=4m") as disk:
        run = make_run(disk / "run", a_train(data))
        with Seats(run, 2, notes=tmp_path) as seats:
            seats.start(NOT_FINITE, Break(rank=0, step=2, what="sleep"))
            seats.until(lambda: seats.beat(0).step == 2 and 1 in read_told(run))
            filler = fill(disk)
            eventually(lambda: seats.beat(0).phase == "paused")
            seats.kill(1, 15)
            ends = seats.wait()
            assert [(end.word.kind, end.word.step) for end in ends if end.word] == [
                ("stopped", SPOILT - 1)
            ] * 2
            assert load_run(run).skipped == ()
            filler.unlink()
            seats.start(NOT_FINITE)
            assert [end.code for end in seats.wait()] == [0, 0], seats.log()
        assert read_told(run) == with_room
        assert [part.first_step for part in load_run(run).skipped] == [SPOILT]


def test_a_run_that_is_done_says_so_as_soon_as_the_disk_takes_it(
    data: Path, tmp_path: Path, with_room: dict[int, Told]
) -> None:
    """The state is safe already: a run that is done must not be given up for want of a few bytes."""
    with a_small_disk(tmp_path, "size=4m") as disk:
        run = make_run(disk / "run", a_train(data))
        with Seats(run, 2, notes=tmp_path) as seats:
            seats.start(NOT_FINITE)
            assert [end.code for end in seats.wait()] == [0, 0], seats.log()
            (run / "outcome.json").unlink()
            filler = fill(disk)
            seats.start()
            eventually(lambda: [seats.beat(rank).phase for rank in (0, 1)] == ["paused"] * 2)
            filler.unlink()
            assert [end.code for end in seats.wait()] == [0, 0], seats.log()
        outcome = read_outcome(run)
        assert outcome is not None and outcome.step == STEPS
        assert read_told(run) == with_room and words(run) == ["paused", "went_on"]

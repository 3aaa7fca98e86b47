"""Ranks are lost at any moment: what memory holds is gone on from, and losses are those of the undisturbed run."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from l3_modeltools.checkpoint import Shelf
from l3_modeltools.runs import read_faults, read_marks
from l3_modeltools.schemas import Checkpointing, Train
from tests.support.breaks import Break
from tests.support.rank_runs import Told, make_data, make_run, read_told, recut, small_train
from tests.support.seats import Seats

pytestmark = pytest.mark.real

STEPS = 12
RARELY = Checkpointing(every_steps=1000)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("data") / "pattern")


def a_train(data: Path, *, zero_stage: int = 0, saving: Checkpointing = RARELY) -> Train:
    return replace(recut(small_train(data, steps=STEPS), ranks=2, zero_stage=zero_stage), checkpoint=saving)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, data: Path) -> dict[int, dict[int, Told]]:
    """What runs told that nothing happened to, by ZeRO stage."""
    told = {}
    for zero_stage in (0, 3):
        run = make_run(
            tmp_path_factory.mktemp("runs") / f"zero-{zero_stage}", a_train(data, zero_stage=zero_stage)
        )
        with Seats(run, 2) as seats:
            seats.finish()
        told[zero_stage] = read_told(run)
        assert sorted(told[zero_stage]) == list(range(1, STEPS + 1))
    return told


def last_ready(run: Path) -> tuple[int | None, str | None]:
    mark = [mark for mark in read_marks(run) if mark.mark == "ready"][-1]
    return mark.step, mark.source


@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_rank_costs_the_step_it_was_in(
    data: Path, tmp_path: Path, undisturbed: dict[int, dict[int, Told]], rank: int
) -> None:
    run = make_run(tmp_path / "run", a_train(data))
    with Seats(run, 2) as seats:
        seats.start(Break(rank=rank, step=7, what="kill"))
        ends = seats.wait()
        assert ends[rank].code == -9
        word = ends[1 - rank].word
        assert word is not None
        assert (word.kind, word.kept_step, word.exit_code, word.section) == (
            "peer_lost",
            6,
            75,
            "forward_backward",
        )
        seats.finish()
    assert last_ready(run) == (6, "memory")
    assert read_told(run) == undisturbed[0]


def test_all_killed_go_on_from_copies(
    data: Path, tmp_path: Path, undisturbed: dict[int, dict[int, Told]]
) -> None:
    run = make_run(tmp_path / "run", a_train(data))
    with Seats(run, 2) as seats:
        seats.start()
        seats.until(lambda: seats.beat(1).step >= 6)
        seats.kill(0)
        seats.kill(1)
        seats.wait()
        seats.finish()
    step, source = last_ready(run)
    assert source == "memory" and step is not None and step >= 1
    assert read_told(run) == undisturbed[0]


@pytest.mark.parametrize("rank", [0, 1])
def test_sharded_weights_go_on_from_the_copies_that_all_have(
    data: Path, tmp_path: Path, undisturbed: dict[int, dict[int, Told]], rank: int
) -> None:
    run = make_run(tmp_path / "run", a_train(data, zero_stage=3))
    with Seats(run, 2) as seats:
        seats.start(Break(rank=rank, step=7, what="kill"))
        word = seats.wait()[1 - rank].word
        assert word is not None and (word.kind, word.kept_step) == ("peer_lost", 6)
        seats.finish()
    step, source = last_ready(run)
    assert source == "memory" and step is not None and 1 <= step <= 6
    assert read_told(run) == undisturbed[3]


@pytest.mark.parametrize(("place", "goes_on_after"), [("before optimizer", 7), ("after optimizer", 7)])
def test_a_rank_killed_in_its_update_leaves_the_other_whole(
    data: Path, tmp_path: Path, undisturbed: dict[int, dict[int, Told]], place: str, goes_on_after: int
) -> None:
    run = make_run(tmp_path / "run", a_train(data))
    with Seats(run, 2) as seats:
        seats.start(Break(rank=0, step=7, what="kill", module=place))
        assert seats.wait()[0].code == -9
        seats.finish()
    assert last_ready(run) == (goes_on_after, "memory")
    assert read_told(run) == undisturbed[0], "the step that nobody told of is told now"


def test_a_rank_that_fails_in_its_update_leaves_nothing(
    data: Path, tmp_path: Path, undisturbed: dict[int, dict[int, Told]]
) -> None:
    run = make_run(tmp_path / "run", a_train(data))
    with Seats(run, 2) as seats:
        seats.start(*(Break(rank=rank, step=7, what="raise", module="after optimizer") for rank in (0, 1)))
        for end in seats.wait():
            assert end.word is not None
            assert (end.word.kind, end.word.kept_step, end.word.step) == ("error", None, 7)
            assert (end.word.section, end.word.exception, end.word.retry) == ("optimizer", "ValueError", True)
            assert "a defect" in end.word.traceback
        seats.finish()
    assert read_told(run) == undisturbed[0]


def test_a_failure_of_its_own_leaves_the_state_too(
    data: Path, tmp_path: Path, undisturbed: dict[int, dict[int, Told]]
) -> None:
    run = make_run(tmp_path / "run", a_train(data))
    with Seats(run, 2) as seats:
        seats.start(Break(rank=1, step=5, what="raise"))
        first, second = (end.word for end in seats.wait())
        assert first is not None and first.kind == "peer_lost"
        assert second is not None and (second.kind, second.kept_step) == ("error", 4)
        seats.finish()
    assert last_ready(run) == (4, "memory")
    assert read_told(run) == undisturbed[0]


def test_a_rank_lost_in_validation_owes_what_it_led_to(
    data: Path, tmp_path: Path, undisturbed: dict[int, dict[int, Told]]
) -> None:
    run = make_run(tmp_path / "run", a_train(data))
    with Seats(run, 2) as seats:
        seats.start()
        seats.until(lambda: seats.beat(0).phase == "validate")
        seats.kill(0)
        word = seats.wait()[1].word
        assert word is not None and word.kept_step == 10
        seats.finish()
    assert last_ready(run) == (10, "memory")
    assert read_told(run) == undisturbed[0]


def test_the_newer_of_memory_and_disk_is_gone_on_from(
    data: Path, tmp_path: Path, undisturbed: dict[int, dict[int, Told]]
) -> None:
    run = make_run(tmp_path / "run", a_train(data, saving=Checkpointing(every_steps=3)))
    with Seats(run, 2) as seats:
        seats.start()
        seats.until(lambda: any((run / "checkpoints").glob("step-*6.partial")))
        seats.kill(1)
        seats.wait()
        seats.finish()
        assert last_ready(run)[1] == "memory"
    assert read_told(run) == undisturbed[0]
    assert [found.fault for found in Shelf(run / "checkpoints").found()] == [""] * 3
    with Seats(run, 2) as seats:
        seats.finish()
    assert last_ready(run) == (STEPS, "checkpoint")
    assert read_faults(run) == ()


def test_a_validation_that_a_wish_to_end_came_before_is_made_up_for(data: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", replace(a_train(data), steps=4))
    with Seats(run, 2) as seats:
        seats.finish()
    told = read_told(run)
    metrics = run / "metrics.jsonl"
    metrics.write_text(metrics.read_text().replace('"validation_loss"', '"was_not_done"'))
    assert read_told(run) != told
    with Seats(run, 2) as seats:
        seats.finish()
    assert last_ready(run) == (4, "checkpoint")
    assert read_told(run) == told

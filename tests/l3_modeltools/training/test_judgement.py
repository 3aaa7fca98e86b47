"""What is not finite, or jumps, is judged before the update: real ranks, whose numbers break by hooks of torch."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from l3_modeltools.runs import load_run, read_faults, read_marks
from l3_modeltools.schemas import Checkpointing, Resilience, Train
from tests.support.breaks import Break
from tests.support.rank_runs import Told, make_data, make_run, read_told, recut, small_train
from tests.support.seats import Seats

pytestmark = pytest.mark.real

STEPS = 10


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("data") / "pattern")


def a_train(data: Path, *, zero_stage: int = 0, steps: int = STEPS, **policy: object) -> Train:
    return replace(
        recut(small_train(data, steps=steps), ranks=2, zero_stage=zero_stage),
        checkpoint=Checkpointing(every_steps=1000),
        resilience=Resilience(**policy),  # type: ignore[arg-type]
    )


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, data: Path) -> dict[int, Told]:
    run = make_run(tmp_path_factory.mktemp("runs") / "undisturbed", a_train(data, steps=40))
    with Seats(run, 2) as seats:
        seats.finish()
    return read_told(run)


def test_what_is_not_finite_once_is_computed_again_and_reported(data: Path, tmp_path: Path) -> None:
    plain = make_run(tmp_path / "plain", a_train(data))
    run = make_run(tmp_path / "run", a_train(data))
    with Seats(plain, 2) as seats:
        seats.finish()
    with Seats(run, 2) as seats:
        seats.start(Break(rank=1, step=4, what="nan"))
        assert [end.code for end in seats.wait()] == [0, 0], seats.log()
    assert read_told(run) == read_told(plain)
    (fault,) = read_faults(run)
    assert (fault.fault_class, fault.step, fault.taken, fault.advised) == (
        "not_finite",
        4,
        "retry",
        "replace_node",
    )
    assert [suspect.rank for suspect in fault.suspects] == [1]


@pytest.mark.parametrize(
    ("zero_stage", "module", "place"),
    [
        (0, "LlamaMLP", "the output of `model.layers.0.mlp`"),
        (3, "LlamaRMSNorm", "the output of `model.layers.0.input_layernorm`"),
    ],
)
def test_what_is_not_finite_twice_is_placed_and_ends_the_run(
    data: Path, tmp_path: Path, zero_stage: int, module: str, place: str
) -> None:
    run = make_run(tmp_path / "run", a_train(data, zero_stage=zero_stage))
    with Seats(run, 2) as seats:
        seats.start(Break(rank=1, step=4, what="nan", times=1000, module=module))
        ends = seats.wait()
        (fault,) = read_faults(run)
        assert (fault.fault_class, fault.step, fault.taken) == ("not_finite", 4, "give_up")
        assert [suspect.rank for suspect in fault.suspects] == [1]
        assert (
            place in fault.evidence[1].text
            and "micro batch 0 (rows 4 to 4 of the batch)" in fault.evidence[1].text
        )
        for end in ends:
            assert end.word is not None
            told = (end.word.kind, end.word.exit_code, end.word.retry, end.word.kept_step)
            assert told == ("error", 6, False, 3)
            assert end.word.fault_id == fault.fault_id


def test_batches_that_are_not_finite_can_be_left_out_for_good(data: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", a_train(data, on_not_finite="skip_batches"))
    with Seats(run, 2) as seats:
        seats.start(
            Break(rank=1, step=4, what="nan", times=1000), Break(rank=0, step=6, what="kill", times=1)
        )
        seats.wait()
        seats.finish()
    told = read_told(run)
    assert sorted(told) == list(range(1, STEPS + 1))
    assert told[4][0] is None and told[5][0] is not None
    (part,) = load_run(run).skipped
    assert (part.first_step, part.last_step) == (4, 4) and "twice" in part.reason
    again = make_run(tmp_path / "again", a_train(data), skipped=(part,))
    with Seats(again, 2) as seats:
        seats.finish()
    assert read_told(again) == told, "a run that knew it from the beginning learns the same"


def test_a_spike_is_reported_once_and_gone_through(data: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", a_train(data, steps=34))
    with Seats(run, 2) as seats:
        seats.start(Break(rank=1, step=30, what="spike", times=1000, last_step=32, module="LlamaRMSNorm"))
        assert [end.code for end in seats.wait()] == [0, 0], seats.log()
    (fault,) = read_faults(run)
    assert (fault.fault_class, fault.step, fault.taken) == ("spike", 30, "none")
    assert load_run(run).skipped == ()
    assert read_told(run)[30][0] is not None


def test_a_spike_is_left_out(data: Path, tmp_path: Path, undisturbed: dict[int, Told]) -> None:
    run = make_run(tmp_path / "run", a_train(data, steps=40, on_spike="skip_batches"))
    with Seats(run, 2) as seats:
        seats.start(
            Break(rank=1, step=30, what="spike", times=1000, module="LlamaRMSNorm"),
            Break(rank=0, step=33, what="kill"),
        )
        seats.wait()
        seats.finish()
    told = read_told(run)
    assert {step: one for step, one in told.items() if step < 30} == {
        step: one for step, one in undisturbed.items() if step < 30
    }
    assert told[30][0] is None and sorted(told) == sorted(undisturbed)
    (part,) = load_run(run).skipped
    again = make_run(tmp_path / "again", a_train(data, steps=40), skipped=(part,))
    with Seats(again, 2) as seats:
        seats.finish()
    assert read_told(again) == told


def test_a_spike_sends_the_run_back_to_its_checkpoint(
    data: Path, tmp_path: Path, undisturbed: dict[int, Told]
) -> None:
    train = replace(a_train(data, steps=40, on_spike="roll_back"), checkpoint=Checkpointing(every_steps=7))
    run = make_run(tmp_path / "run", train)
    with Seats(run, 2) as seats:
        seats.start(Break(rank=1, step=30, what="spike", times=1000, module="LlamaRMSNorm"))
        for end in seats.wait():
            assert end.word is not None and (end.word.kind, end.code) == ("roll_back", 75)
        (part,) = load_run(run).skipped
        assert (part.first_step, part.last_step) == (29, 30)
        seats.finish()
    ready = [mark.step for mark in read_marks(run) if mark.mark == "ready"]
    assert ready == [0, 28]
    told = read_told(run)
    assert told[28] == undisturbed[28] and told[29][0] is None and told[30][0] is None
    again = make_run(tmp_path / "again", a_train(data, steps=40), skipped=(part,))
    with Seats(again, 2) as seats:
        seats.finish()
    assert read_told(again) == told


def test_a_loss_that_has_left_ends_the_run(data: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", a_train(data, steps=40, on_spike="skip_batches"))
    with Seats(run, 2) as seats:
        seats.start(Break(rank=0, step=26, what="spike", times=1000, last_step=40, module="LlamaRMSNorm"))
        ends = seats.wait()
    assert [end.code for end in ends] == [6, 6]
    assert ends[0].word is not None and "left its course" in ends[0].word.text
    assert [part.first_step for part in load_run(run).skipped] == list(range(26, 34))
    assert [fault.taken for fault in read_faults(run)] == ["skip_batches"] * 8 + ["give_up"]

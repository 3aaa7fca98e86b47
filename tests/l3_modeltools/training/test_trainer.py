"""Runs under torchrun: killed at any moment they end as undisturbed ones do, bit for bit; cut otherwise, nearly so."""

import json
import math
import os
import random
import shutil
import signal
from pathlib import Path

import msgspec
import pytest
from transformers import PreTrainedModel

from l3_modeltools.checkpoint import Shelf
from l3_modeltools.data import Loader, open_dataset
from l3_modeltools.runs import read_marks, read_metrics
from l3_modeltools.schemas import Compute, Dpo, Lora, Optimizer, Sft, SkippedSteps, Train
from l3_modeltools.training import build_model
from tests.support.rank_runs import (
    TIMEOUT_S,
    Told,
    kill_at,
    make_data,
    make_run,
    read_told,
    recut,
    small_train,
    start,
    train_to_the_end,
)
from tests.support.tiny_models import LLAMA, training

pytestmark = pytest.mark.real

STEPS = 30
KILLS = int(os.environ.get("PROVE_KILLS", "2"))
TOLERANCE = 2e-5
"""Relative difference of losses over 30 steps when the same sums are added up in another order, in fp32."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("data") / "pattern")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, data: Path) -> tuple[Path, dict[int, Told]]:
    """A run on 4 ranks that nothing happened to, and what it told of each step."""
    run = make_run(tmp_path_factory.mktemp("runs") / "undisturbed", recut(small_train(data), ranks=4))
    return run, train_to_the_end(run)


def same_but_for_rounding(found: dict[int, Told], expected: dict[int, Told]) -> bool:
    return found.keys() == expected.keys() and all(
        found[step][0] == pytest.approx(expected[step][0], rel=TOLERANCE) for step in expected
    )


def test_it_learns_and_tells_its_outcome(undisturbed: tuple[Path, dict[int, Told]]) -> None:
    run, told = undisturbed
    assert list(told) == list(range(1, STEPS + 1))
    first, last = told[1][0], told[STEPS][0]
    assert first is not None and last is not None and last < first - 0.5
    outcome = json.loads((run / "outcome.json").read_text())
    assert outcome["state"] == "COMPLETED"
    assert (outcome["step"], outcome["tokens"]) == (STEPS, STEPS * 8 * 16)
    assert (outcome["loss"], outcome["validation_loss"]) == (last, told[STEPS][2])
    assert [step for step, one in told.items() if one[2] is not None] == [10, 20, 30]
    assert [found.step for found in Shelf(run / "checkpoints").found()] == [27, 30]
    log = (run / "log").read_text()
    assert "4 ranks, copies (DDP)" in log and f"step {STEPS}/{STEPS}" in log and "saved step 30" in log
    stamps = [metric.monotonic_s or 0.0 for metric in read_metrics(run)]
    stamps_of_marks = [mark.monotonic_s or 0.0 for mark in read_marks(run)]
    assert min(stamps) > 0.0 and stamps == sorted(stamps) and 0.0 < min(stamps_of_marks) < stamps[0]


def test_killed_runs_end_as_the_undisturbed_one(
    undisturbed: tuple[Path, dict[int, Told]], tmp_path: Path, data: Path
) -> None:
    run = make_run(tmp_path / "run", recut(small_train(data), ranks=4))
    killed = kill_now_and_then(run, steps=STEPS, kills=KILLS)
    assert train_to_the_end(run) == undisturbed[1], f"killed at {killed}"


def test_a_run_killed_while_it_saves_ends_as_the_undisturbed_one(
    undisturbed: tuple[Path, dict[int, Told]], tmp_path: Path, data: Path
) -> None:
    run = make_run(tmp_path / "run", recut(small_train(data), ranks=4))
    for least in range(1, 1 + KILLS):
        kill_at(run, lambda least=least: saving_after(run, 3 * least))  # type: ignore[misc]
    assert train_to_the_end(run) == undisturbed[1]


def test_other_numbers_of_ranks_see_the_same_samples(
    undisturbed: tuple[Path, dict[int, Told]], tmp_path: Path, data: Path
) -> None:
    train = small_train(data)
    run = tmp_path / "run"
    for ranks, until in ((2, 7), (1, 15), (4, 22)):
        make_run(run, recut(train, ranks=ranks))
        kill_at(run, lambda until=until: until in read_told(run))  # type: ignore[misc]
    make_run(run, recut(train, ranks=2))
    assert same_but_for_rounding(train_to_the_end(run), undisturbed[1])


def test_sharded_weights_learn_as_copies_do(
    undisturbed: tuple[Path, dict[int, Told]], tmp_path: Path, data: Path
) -> None:
    run = make_run(tmp_path / "run", recut(small_train(data), ranks=2, zero_stage=3))
    kill_at(run, lambda: 8 in read_told(run))
    make_run(run, recut(small_train(data), ranks=2, zero_stage=1))
    assert same_but_for_rounding(train_to_the_end(run), undisturbed[1])


def test_a_run_that_is_done_trains_no_step_and_ends_well(
    undisturbed: tuple[Path, dict[int, Told]], tmp_path: Path
) -> None:
    run, told = undisturbed
    before = (run / "metrics.jsonl").read_bytes()
    (run / "outcome.json").rename(tmp_path / "outcome.json")
    assert train_to_the_end(run) == told
    assert (run / "metrics.jsonl").read_bytes() == before
    outcome = json.loads((run / "outcome.json").read_text())
    earlier = json.loads((tmp_path / "outcome.json").read_text())
    assert (outcome["step"], outcome["tokens"]) == (STEPS, earlier["tokens"])
    assert outcome["validation_loss"] == earlier["validation_loss"]


def test_a_run_goes_on_exactly_at_the_end_of_an_epoch(data: Path, tmp_path: Path) -> None:
    dataset = open_dataset(data)
    every_sample = (dataset.split("train").tokens - 1) // 16
    train = small_train(data, steps=3)
    assert train.data is not None
    whole = msgspec.structs.replace(train.data, global_batch_size=every_sample)
    assert Loader([dataset], whole, train.objective).epoch_of(1) == 1.0
    saving = msgspec.structs.replace(train.checkpoint, every_steps=1, keep_last=3)
    run = make_run(tmp_path / "run", msgspec.structs.replace(train, data=whole, checkpoint=saving))
    told = train_to_the_end(run)
    assert sorted(told) == [1, 2, 3]
    for step in (2, 3):
        shutil.rmtree(run / "checkpoints" / f"step-{step:08}")
    (run / "outcome.json").unlink()
    (run / "metrics.jsonl").unlink()
    assert train_to_the_end(run) == {step: told[step] for step in (2, 3)}


def test_a_damaged_checkpoint_is_passed_over_and_said(data: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", small_train(data, steps=9))
    told = train_to_the_end(run)
    (last,) = (run / "checkpoints" / "step-00000009").glob("*.distcp")
    content = bytearray(last.read_bytes())
    content[len(content) // 2] ^= 1
    last.write_bytes(content)
    (run / "metrics.jsonl").unlink()
    again = train_to_the_end(run)
    assert again == {step: one for step, one in told.items() if step > 6}
    log = (run / "log").read_text()
    assert "passed over step-00000009: `__0_0.distcp`" in log and "resumes after step 6" in log


def test_a_told_end_is_saved_and_gone_on_from(data: Path, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", recut(small_train(data, steps=2000), ranks=2))
    events = tmp_path / "events.jsonl"
    process = start(run, {"OGAI_EVENTS": str(events)})
    try:
        while not read_told(run):
            assert process.poll() is None, (run / "log").read_text()
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT_S) != 0
    finally:
        process.kill()
    told = read_told(run)
    assert max(told) < 2000
    assert [found.step for found in Shelf(run / "checkpoints").found()][-1] == max(told)
    assert not (run / "outcome.json").exists()
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    assert {"progress", "saved"} <= {line["event"] for line in lines}


def test_a_skipped_step_changes_nothing_but_counts(data: Path, tmp_path: Path) -> None:
    skipped = (SkippedSteps(first_step=3, last_step=4, reason="its loss jumped"),)
    plain = train_to_the_end(make_run(tmp_path / "plain", small_train(data, steps=6)))
    run = make_run(tmp_path / "skipping", small_train(data, steps=6), skipped=skipped)
    kill_at(run, lambda: 4 in read_told(run))
    told = train_to_the_end(run)
    assert [told[1], told[2]] == [plain[1], plain[2]]
    assert [told[3][0], told[4][0]] == [None, None]
    assert told[5][0] not in (None, plain[3][0], plain[5][0])


def test_a_loss_that_is_not_finite_ends_the_run_before_it_is_saved(data: Path, tmp_path: Path) -> None:
    train = msgspec.structs.replace(
        small_train(data), optimizer=Optimizer(learning_rate=1e30, max_grad_norm=None)
    )
    run = make_run(tmp_path / "run", train)
    assert start(run).wait(TIMEOUT_S) == 6
    log = (run / "log").read_text()
    assert "expected finite numbers" in log and "Traceback" not in log
    assert not any(
        found.step for found in Shelf(run / "checkpoints").found() if found.step >= len(read_told(run)) + 1
    )


def test_a_missing_data_set_is_one_sentence(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", small_train(tmp_path / "nowhere" / "dataset.json"))
    assert start(run).wait(TIMEOUT_S) in (2, 3)
    log = (run / "log").read_text()
    assert "nowhere" in log and "Traceback" not in log


@pytest.mark.parametrize("way", ["sft", "lora", "dpo"])
def test_fine_tuning_resumes_exactly_too(way: str, tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", form="preference" if way == "dpo" else "chat")
    train = small_train(data, steps=12, base=fine_tuning(way, tmp_path / "first"))
    undisturbed = train_to_the_end(make_run(tmp_path / "undisturbed", train))
    run = make_run(tmp_path / "run", train)
    killed = kill_now_and_then(run, steps=12, kills=KILLS // 2)
    assert train_to_the_end(run) == undisturbed, f"killed at {killed}"


@pytest.mark.parametrize("way", ["dpo", "dpo-lora"])
def test_preferences_in_sharded_weights_begin_where_the_first_weights_are(way: str, tmp_path: Path) -> None:
    data = make_data(tmp_path / "data", form="preference")
    train = recut(
        small_train(data, steps=3, base=fine_tuning(way, tmp_path / "first")), ranks=2, zero_stage=3
    )
    train = msgspec.structs.replace(train, compute=Compute(precision="bf16"))
    told = train_to_the_end(make_run(tmp_path / "run", train))
    assert told[1][0] == pytest.approx(math.log(2), abs=1e-6)  # both models round alike
    assert told[2][0] != told[1][0]


def fine_tuning(way: str, first: Path) -> Train:
    """Make a training of some way; an adapter needs first weights beside which it learns."""
    if way == "dpo":
        return training(LLAMA, objective=Dpo())
    if way == "sft":
        return training(LLAMA, objective=Sft())
    model = build_model(training(LLAMA), LLAMA, seed=1)
    assert isinstance(model, PreTrainedModel)
    model.save_pretrained(first)
    objective = Dpo() if way == "dpo-lora" else Sft()
    return training(
        LLAMA, objective=objective, init_from=str(first), lora=Lora(r=2, target_modules=("q_proj",))
    )


def kill_now_and_then(run: Path, *, steps: int, kills: int) -> list[int]:
    """Kill a run at random moments of its way; return the steps after which it was."""
    chosen = sorted(random.sample(range(1, steps), kills))
    for step in chosen:
        kill_at(run, lambda step=step: step in read_told(run), delay_s=random.random() / 20)  # type: ignore[misc]
    return chosen


def saving_after(run: Path, step: int) -> bool:
    """Say whether a checkpoint of `step` or a later one is being written."""
    names = [path.name for path in (run / "checkpoints").glob("step-*.partial")]
    return any(int(name[5:13]) >= step for name in names)

"""How trainings look: the plan before, the list and the page of a run meanwhile, the end and the comparison after."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from l2_scheduler.schemas import Job, Resources
from l3_modeltools import Measured, Metric, Sample, compare_runs
from l3_modeltools.architectures import preset
from l3_modeltools.planning import plan_training
from l3_modeltools.schemas import (
    Degrees,
    Evidence,
    Figures,
    Run,
    SavedCheckpoint,
    Strategy,
    TrainedModel,
    TrainingFault,
)
from ogai.flows.train import Planned
from ogai.flows.train.place import Destination
from ogai.render.moment import clock
from ogai.render.train.compared import print_comparison
from ogai.render.train.detail import next_commands, print_run
from ogai.render.train.ended import describe_end, print_ended
from ogai.render.train.plan import print_plan, print_rehearsal
from ogai.render.train.submitted import print_submitted
from ogai.render.train.table import print_runs
from ogai.render.train.words import count, describe_work, loss, number
from tests.support.runs import SUBMITTED_AT, a_command, a_run, a_train
from tests.support.trainings import LAPTOP, dataset, mixed, training

NOW = SUBMITTED_AT + 300
FIGURES = Figures(loss=2.34567, validation_loss=2.5, tokens=749_568.0, tokens_per_s=8123.0, at_work_s=171.0)
DONE = a_run(state="COMPLETED", step=40, figures=FIGURES, job_ids=("7",), ended_at=SUBMITTED_AT + 180)


@pytest.mark.parametrize(
    ("value", "written"),
    [(None, "-"), (0, "0"), (812, "812"), (999.4, "999"), (999.6, "1K"), (749_568, "750K"), (4_196_608, "4.2M"),
     (8e9, "8B"), (1.5e13, "15T"), (999_600, "1M")],
)  # fmt: skip
def test_numbers_have_three_digits_and_a_letter(value: float | None, written: str) -> None:
    assert number(value) == written


@given(st.floats(1, 1e15))
def test_a_number_reads_back_within_its_digits(value: float) -> None:
    text = number(value)
    scale = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}.get(text[-1], 1.0)
    assert float(text.rstrip("KMBT")) * scale == pytest.approx(value, rel=0.005, abs=0.5)


def test_counts_are_grouped_and_losses_have_three_places() -> None:
    assert (count(4196608), loss(2.34567), loss(None)) == ("4,196,608", "2.346", "-")


@pytest.mark.parametrize(
    ("spent_s", "since", "told"),
    [
        (None, None, ""),
        (171.0, None, "2m51s"),
        (300.0, NOW - 300, f"5m, since {clock(NOW - 300)}"),
        (7380.0, NOW - 60, f"2h3m, now since {clock(NOW - 60)}"),
    ],
)
def test_how_long_it_was_at_work_is_told_and_since_when(
    spent_s: float | None, since: float | None, told: str
) -> None:
    assert describe_work(Figures(at_work_s=spent_s, at_work_since=since), NOW) == told


def test_the_list_has_one_line_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    fresh = a_run(a_command("x"), directory=Path("/runs/mine-1"))
    print_runs((DONE, fresh), NOW)
    head, done, new = capsys.readouterr().out.splitlines()
    assert " ".join(head.split()) == "RUN STATE STEP TOKENS LOSS VALIDATION TOKENS/S AT WORK SUBMITTED"
    assert done.split() == [
        "small-1",
        "COMPLETED",
        "40/40",
        "750K",
        "2.346",
        "2.500",
        "8.12K",
        "2:51",
        "5m",
        "ago",
    ]
    assert new.split() == ["mine-1", "PENDING", "0", "-", "-", "-", "-", "-", "5m", "ago"]


def test_the_page_of_a_run_says_what_it_is_how_it_stands_and_what_to_type(
    capsys: pytest.CaptureFixture[str],
) -> None:
    saved = SavedCheckpoint(step=40, directory="checkpoints/step-00000040", manifest_sha256="a" * 64)
    model = TrainedModel(architecture=preset("tiny-llama"), init_from="/first")
    train = a_train(model=model, strategy=Strategy(degrees=Degrees(dp=2)))
    train = mixed(train, ("/data/fables/dataset.json", 1), ("/data/code/dataset.json", 0.5))
    run = replace(DONE, train=train, checkpoints=(saved,), restarts=(SUBMITTED_AT + 9,), reason="all done")
    samples = [Sample(step=step, prompt="the", text=f" fox {step}") for step in (20, 40)]
    print_run(run, samples, NOW)
    page = capsys.readouterr().out
    fields = dict(line.split("  ", 1) for line in page.splitlines())
    told = {name: value.strip() for name, value in fields.items() if name}
    assert told["Run small-1"] == "small"
    assert told["state"] == "COMPLETED: all done"
    assert told["model"] == "tiny-llama, begun from /first"
    assert told["data"] == "fables, code × 0.5"
    assert told["ranks"] == "2 (dp 2)"
    assert (told["loss"], told["validation loss"]) == ("2.346 nats", "2.500 nats")
    assert (told["tokens"], told["speed"], told["at work"]) == ("750K", "8.12K tokens/s", "2m51s")
    assert (told["restarts"], told["checkpoints"], told["directory"]) == ("1", "step 40", "/runs/small-1")
    assert told["after step 40"] == "the fox 40" and "fox 20" not in page
    assert told["ended"].endswith("(2m ago)")


@pytest.mark.parametrize(
    ("run", "typed"),
    [
        (DONE, ['ogai train sample small-1 "TEXT"', "ogai train export small-1 --to DIRECTORY"]),
        (replace(DONE, train=a_command("x")), []),
        (replace(DONE, state="RUNNING"), ["ogai train watch small-1", "ogai train stop small-1"]),
        (replace(DONE, state="PENDING"), ["ogai job why 7"]),
        (a_run(), ["ogai train logs small-1", "ogai train resume small-1"]),
        (replace(DONE, state="CANCELLED"), ["ogai train resume small-1"]),
        (replace(DONE, state="FAILED"), ["ogai train logs small-1", "ogai train resume small-1"]),
    ],
)
def test_what_to_type_next_fits_the_state(run: Run, typed: list[str]) -> None:
    assert list(next_commands(run)) == typed


def test_the_end_is_told_as_far_as_it_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert describe_end(DONE) == "COMPLETED: 40 steps, 750K tokens in 2m51s, validation loss 2.500"
    assert describe_end(a_run(state="COMPLETED")) == "COMPLETED"
    print_ended(DONE)
    said = capsys.readouterr()
    assert said.out == "" and "ogai train export small-1 --to DIRECTORY" in said.err


def test_a_queued_run_is_its_id_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    print_submitted(a_run(job_ids=("6", "7")))
    said = capsys.readouterr()
    assert said.out == "small-1\n"
    assert said.err == "run small-1 is queued on this machine as job 7\nnext: ogai train watch small-1\n"
    print_submitted(a_run(job_ids=("7",), cluster="pod"), attended=True)
    assert capsys.readouterr().err == "run small-1 is queued on pod as job 7\n"


def test_runs_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = (Metric(step=1, at=1.0, loss=5.0), Metric(step=2, at=62.0, loss=4.0, validation_loss=4.5))
    other = a_run(a_train("large", steps=80), directory=Path("/runs/large-1"))
    print_comparison(compare_runs(Measured(run=DONE, metrics=metrics), Measured(run=other, metrics=())))
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["small-1", "large-1"]
    told = {" ".join(words[:-2]): words[-2:] for words in (line.split() for line in lines)}
    assert told["loss"] == ["4.000", "-"] and told["best validation loss"] == ["4.500", "-"]
    assert told["time at work"] == ["2:51", "-"]
    assert told["steps"] == ["40", "80"] and told["name"] == ["small", "large"]


def planned() -> Planned:
    wish = mixed(training(ranks=2), ("/data/code/dataset.json", 1))
    plan = plan_training(wish, architecture=preset("tiny-llama"), datasets=[dataset()], place=LAPTOP)
    job = Job(name="t", command=("python", "-m", "x"))
    return Planned(train=plan.train, plan=plan, destination=Destination(name="here", place=LAPTOP), job=job)


def test_the_plan_is_told_before_anything_else(capsys: pytest.CaptureFixture[str]) -> None:
    print_plan(planned())
    said = capsys.readouterr()
    assert said.out == ""
    told = {line[:8].strip(): line[8:].strip() for line in said.err.splitlines()}
    assert told["where"] == "this machine (here)"
    assert told["model"].startswith("tiny-llama, 4,1") and told["model"].endswith(" parameters")
    assert told["data"] == "410K tokens, 100 steps of 4,096"
    assert "goes through 0.41 times code" in [line.strip() for line in said.err.splitlines()]
    assert told["ranks"] == "2 on cpu, fp32"
    assert " a rank: " in told["memory"] and " a checkpoint" in told["disk"]


def test_a_rehearsal_is_the_plan_or_the_filled_in_document_on_stdout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_rehearsal(planned(), "table")
    said = capsys.readouterr()
    assert said.out.startswith("where") and "memory" in said.out and "kind: train" not in said.out
    assert said.err.startswith("nothing was queued")
    print_rehearsal(planned(), "yaml")
    document = capsys.readouterr().out
    assert document.startswith("kind: train\n") and "dp: 2" in document


def test_a_command_of_yours_has_no_plan_but_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    train = replace(a_command("x"), resources=Resources(nodes=2, tasks_per_node=3))
    print_plan(dataclasses.replace(planned(), train=train, plan=None))
    assert "a command of yours, 3 tasks on 2 nodes" in capsys.readouterr().err


FAULT = TrainingFault(
    run="small-1",
    fault_class="not_finite",
    summary="the loss is NaN on rank 1",
    occurred_at=SUBMITTED_AT + 100,
    detected_at=SUBMITTED_AT + 101,
    resumed_at=SUBMITTED_AT + 104.5,
    redone_steps=1,
    step=12,
    evidence=(Evidence(source="metric", text="nan"),),
    advised="retry",
    taken="skip_batches",
)


def test_faults_are_told_with_what_was_done_and_what_they_cost(capsys: pytest.CaptureFixture[str]) -> None:
    told = replace(DONE, faults_seen=(FAULT,), restarts=(SUBMITTED_AT + 102,))
    print_run(told, (), NOW)
    shown = capsys.readouterr().out
    assert "\nfaults           1\n" in shown
    line = next(line for line in shown.splitlines() if "not finite" in line)
    assert line.endswith(
        " step 12, not finite: the loss is NaN on rank 1 → batch left out; 4.5s until the next step, 1 step redone"
    )
    assert "ogai train ettr small-1" in list(next_commands(told))
    fresh = TrainingFault(
        run="small-1", fault_class="hang", detected_at=NOW, evidence=FAULT.evidence, advised="restart_worker"
    )
    print_run(replace(DONE, faults_seen=(fresh,)), (), NOW)
    assert "hang → nothing yet\n" in capsys.readouterr().out


def test_of_many_faults_the_newest_five_are_told_the_newest_first(capsys: pytest.CaptureFixture[str]) -> None:
    many = tuple(replace(FAULT, fault_id=number, summary=f"number {number}.") for number in range(1, 9))
    print_run(replace(DONE, faults_seen=many), (), NOW)
    shown = capsys.readouterr().out
    assert "8, the newest:" in shown
    assert [number for number in range(9) if f"number {number}." in shown] == [4, 5, 6, 7, 8]
    assert shown.index("number 8.") < shown.index("number 4.")


def test_a_suspended_run_is_followed_or_stopped() -> None:
    waits = a_run(state="SUSPENDED", job_ids=("7",), reason="waits for room on the disk")
    assert list(next_commands(waits)) == ["ogai train watch small-1", "ogai train stop small-1"]

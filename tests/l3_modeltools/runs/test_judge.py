"""How a run stands is what its job, its outcome and its files say together."""

from pathlib import Path

import msgspec
import pytest

from l0_infra.core.documents import parse_document, render_json
from l2_scheduler.schemas import JobStatus
from l3_modeltools.runs import Happened, Metric, Outcome, judge_run, read_outcome, read_starts
from l3_modeltools.schemas import Figures, Run, RunState, SavedCheckpoint
from tests.support.runs import SUBMITTED_AT, a_command, a_run, a_status

DONE = Outcome(state="COMPLETED", step=40, ended_at=1300.0)
AT_12 = (Metric(step=11, at=1100.0), Metric(step=12, at=1101.0))
SAVED = SavedCheckpoint(step=10, directory="checkpoints/step-00000010", manifest_sha256="a" * 64)
CARRIED = a_run(job_ids=("7",))
COMMAND = a_run(a_command("true"), job_ids=("7",))

# run, job, outcome → state, reason
CASES = [
    (a_run(), None, None, "PENDING", "no job carries it yet"),
    (CARRIED, a_status("PENDING"), None, "PENDING", "job 7 waits in its queue"),
    (CARRIED, a_status("PENDING", reason="4 CPUs are taken"), None, "PENDING", "4 CPUs are taken"),
    (CARRIED, a_status("RUNNING", attempt=1), None, "RUNNING", "12 of 40 steps are done"),
    (CARRIED, a_status("RUNNING", attempt=3), None, "RUNNING", "12 of 40 steps are done, start 3 of job 7"),
    (COMMAND, a_status("COMPLETING", attempt=1), None, "RUNNING", "ends, as it was told; 12 steps are done"),
    (
        CARRIED,
        a_status("COMPLETING", attempt=1),
        None,
        "RUNNING",
        "saves its state, then ends, as it was told; 12 of 40 steps are done",
    ),
    (CARRIED, a_status("RUNNING", attempt=1), DONE, "RUNNING", "40 of 40 steps are done"),
    (CARRIED, a_status("COMPLETED"), DONE, "COMPLETED", "all 40 steps are done"),
    (CARRIED, a_status("FAILED"), DONE, "COMPLETED", "all 40 steps are done"),
    (CARRIED, None, DONE, "COMPLETED", "all 40 steps are done"),
    (
        CARRIED,
        a_status("COMPLETED"),
        None,
        "FAILED",
        "the trainer ended with 0 at step 12 and left no outcome",
    ),
    (COMMAND, a_status("COMPLETED"), None, "COMPLETED", "the command ended with 0"),
    (CARRIED, a_status("FAILED", reason="task 0 ended"), None, "FAILED", "ended after step 12: task 0 ended"),
    (CARRIED, a_status("TIMEOUT"), None, "FAILED", "ended after step 12: its time was up"),
    (CARRIED, a_status("NODE_FAIL"), None, "FAILED", "its machine or its keeper went away"),
    (CARRIED, a_status("OUT_OF_MEMORY"), None, "FAILED", "it used more memory than it asked for"),
    (
        CARRIED,
        a_status("CANCELLED", reason="by a person"),
        None,
        "CANCELLED",
        "stopped after step 12 by a person",
    ),
    (CARRIED, None, None, "FAILED", "job 7 is no longer in the queue, and the run came to no end at step 12"),
]


@pytest.mark.parametrize(("run", "job", "outcome", "state", "reason"), CASES)
def test_the_state_comes_with_its_reason(
    run: Run, job: JobStatus | None, outcome: Outcome | None, state: RunState, reason: str
) -> None:
    judged = judge_run(run, job, outcome, AT_12)
    assert judged.state == state
    assert reason in judged.reason
    assert parse_document(render_json(judged), source="run.json", expect=Run) == judged


def test_the_step_is_the_one_written_last_and_no_checkpoint_is_ahead_of_it() -> None:
    resumed = (Metric(step=11, at=1200.0), Metric(step=12, at=1101.0), Metric(step=13, at=1102.0))
    assert judge_run(CARRIED, a_status("RUNNING"), None, resumed).step == 11
    ahead = msgspec.structs.replace(SAVED, step=14)
    judged = judge_run(CARRIED, a_status("RUNNING"), None, AT_12, [SAVED, ahead])
    assert (judged.step, judged.checkpoints) == (14, (SAVED, ahead))
    assert judge_run(CARRIED, a_status("RUNNING"), None, [Metric(step=99)]).step == 40
    assert judge_run(COMMAND, a_status("RUNNING"), None, [Metric(step=99)]).step == 99


def test_it_ended_when_its_job_did_and_never_before_it_began() -> None:
    assert judge_run(CARRIED, a_status("FAILED", ended_at=1250.0), None, ()).ended_at == 1250.0
    assert judge_run(CARRIED, a_status("RUNNING", ended_at=1250.0), None, ()).ended_at is None
    assert judge_run(CARRIED, None, DONE, ()).ended_at == 1300.0
    assert judge_run(CARRIED, a_status("FAILED", ended_at=3.0), None, ()).ended_at == SUBMITTED_AT


def test_the_figures_are_the_newest_and_the_outcome_has_the_last_word_on_the_held_out_loss() -> None:
    metrics = (
        Metric(step=1, at=1001.0, loss=5.0, learning_rate=1e-3, tokens_per_s=10.0, validation_loss=4.5),
        Metric(step=2, at=1003.0, loss=4.0, learning_rate=1e-4, tokens_per_s=30.0),
        Metric(step=3, at=1009.0, tokens=96.0, tokens_per_s=20.0),
    )
    newest = Figures(
        loss=4.0, validation_loss=4.5, learning_rate=1e-4, tokens=96.0, tokens_per_s=20.0, wall_s=8.0
    )
    assert judge_run(CARRIED, None, None, metrics).figures == newest
    for last in (2.5, 0.0):
        outcome = msgspec.structs.replace(DONE, validation_loss=last)
        assert judge_run(CARRIED, None, outcome, metrics).figures.validation_loss == last
    assert judge_run(CARRIED, None, DONE, metrics).figures == newest
    assert judge_run(CARRIED, None, None, ()).figures == Figures()


def test_time_at_work_is_that_of_its_processes_until_now_or_its_end() -> None:
    stopped = Happened(starts=(1001.0, 5000.0), ends=(1201.0,))
    going = judge_run(CARRIED, a_status("RUNNING", attempt=1), None, AT_12, happened=stopped, now=5100.0)
    assert (going.figures.at_work_s, going.figures.at_work_since) == (300.0, 5000.0)
    ended = Happened(starts=(1001.0, 5000.0), ends=(1201.0, 5050.0))
    last = judge_run(CARRIED, a_status("CANCELLED", ended_at=5050.0), None, AT_12, happened=ended, now=9e9)
    assert (last.figures.at_work_s, last.figures.at_work_since) == (250.0, None)
    waits = judge_run(CARRIED, a_status("PENDING"), None, AT_12, happened=ended, now=9e9)
    assert waits.figures.at_work_s == 250.0


def test_every_start_but_the_first_is_a_restart(tmp_path: Path) -> None:
    first, second = tmp_path / "7.jsonl", tmp_path / "8.jsonl"
    first.write_text(
        '{"at": 1001.5, "event": "started", "attempt": 1}\n{"at": 1, "event": "saved"}\nnot json\n[1]\n'
        '{"at": 1050, "event": "started", "attempt": 2}\n{"event": "started"}\n{"event": "started", "at": true}\n'
    )
    second.write_text('{"at": 1200, "event": "started", "attempt": 1}\n')
    starts = read_starts([second, first, tmp_path / "absent"])
    assert starts == (1001.5, 1050.0, 1200.0)
    assert judge_run(CARRIED, None, None, (), happened=Happened(starts=starts)).restarts == (1050.0, 1200.0)
    assert judge_run(CARRIED, None, None, ()).restarts == ()


def test_an_outcome_is_read_with_whatever_else_it_holds_and_only_whole(tmp_path: Path) -> None:
    assert read_outcome(tmp_path) is None
    (tmp_path / "outcome.json").write_text(
        '{"state": "COMPLETED", "step": 40, "perplexity": 12, "validation_loss": 2.5}'
    )
    assert read_outcome(tmp_path) == Outcome(state="COMPLETED", step=40, validation_loss=2.5)
    (tmp_path / "outcome.json").write_text('{"state": "COMPLETED", "st')
    assert read_outcome(tmp_path) is None

"""How a run stands, from what its job, its outcome, its metrics, its checkpoints, its marks and its faults say."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from l2_scheduler.schemas import ACTIVE_STATES, FINAL_STATES, JobStatus
from l3_modeltools.runs.at_work import Work, find_work
from l3_modeltools.runs.happened import Happened
from l3_modeltools.runs.metric import Metric
from l3_modeltools.runs.outcome import Outcome
from l3_modeltools.runs.summarize import summarize
from l3_modeltools.schemas import Figures, Run, RunState, SavedCheckpoint

__all__ = ["judge_run"]

NOTHING = Happened()

ENDS = {
    "TIMEOUT": "its time was up",
    "OUT_OF_MEMORY": "it used more memory than it asked for",
    "NODE_FAIL": "its machine or its keeper went away",
}
"""What the final states of a job that a run knows only as `FAILED` mean, where the job gives no reason."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Standing:
    state: RunState
    reason: str
    ended_at: float | None = None


def judge_run(
    run: Run,
    job: JobStatus | None,
    outcome: Outcome | None,
    metrics: Sequence[Metric],
    checkpoints: Sequence[SavedCheckpoint] = (),
    *,
    happened: Happened = NOTHING,
    now: float | None = None,
) -> Run:
    """Fill in the state of a run with its reason, its step, its end, its checkpoints, faults and restarts.

    `job` is the last that carried it, None when the queue does not know it any more. An outcome counts above the
    job's end: it is written when all steps are done, and a failure on the way out takes nothing back. A run that is at
    work is so until `now`; None: until its last sign of life.
    """
    step = _step(run, outcome, metrics, checkpoints)
    standing = _standing(run, job, outcome, step, happened)
    ended_at = standing.ended_at
    has_processes = job is not None and job.state in ACTIVE_STATES
    return msgspec.structs.replace(
        run,
        state=standing.state,
        reason=standing.reason,
        step=step,
        figures=_figures(run, outcome, metrics, _work(happened, metrics, now if has_processes else None)),
        ended_at=None if ended_at is None else max(ended_at, run.submitted_at),
        checkpoints=tuple(checkpoints),
        faults_seen=happened.faults,
        restarts=happened.restarts,
    )


def _work(happened: Happened, metrics: Sequence[Metric], now: float | None) -> Work:
    stepped_at = max((metric.at for metric in metrics if metric.at is not None), default=None)
    return find_work(happened, stepped_at=stepped_at, now=now)


def _figures(run: Run, outcome: Outcome | None, metrics: Sequence[Metric], work: Work) -> Figures:
    """Take the newest of each number; the outcome has the last word on the held-out loss."""
    summary = summarize(run, metrics)
    rates = [metric.learning_rate for metric in metrics if metric.learning_rate is not None]
    validated = summary.validation_losses[-1].loss if summary.validation_losses else None
    final = outcome.validation_loss if outcome else None
    return Figures(
        loss=summary.last_loss.loss if summary.last_loss else None,
        validation_loss=validated if final is None else final,
        learning_rate=rates[-1] if rates else None,
        tokens=summary.tokens,
        tokens_per_s=summary.tokens_per_s,
        wall_s=summary.wall_s,
        at_work_s=work.seconds,
        at_work_since=work.since,
    )


def _step(
    run: Run, outcome: Outcome | None, metrics: Sequence[Metric], checkpoints: Sequence[SavedCheckpoint]
) -> int:
    """Return the steps that are done: the step written last, which after a resume need not be the highest."""
    last = max(metrics, key=lambda metric: (metric.at or 0.0, metric.step), default=None)
    done = [last.step if last else 0, *(saved.step for saved in checkpoints)]
    step = outcome.step if outcome else max(done)
    return step if run.train.steps is None else min(step, run.train.steps)


def _standing(
    run: Run, job: JobStatus | None, outcome: Outcome | None, step: int, happened: Happened
) -> _Standing:
    if job is not None and job.state not in FINAL_STATES:
        return _waiting_or_running(run, job, step, happened)
    if outcome is not None:
        ended_at = outcome.ended_at if job is None else job.ended_at
        return _Standing(state=outcome.state, reason=f"all {step} steps are done", ended_at=ended_at)
    if job is not None:
        return _ended(run, job, step, happened)
    if not run.job_ids:
        return _Standing(state="PENDING", reason="no job carries it yet")
    reason = f"job {run.job_ids[-1]} is no longer in the queue, and the run came to no end at step {step}"
    return _Standing(state="FAILED", reason=reason)


def _waiting_or_running(run: Run, job: JobStatus, step: int, happened: Happened) -> _Standing:
    if job.state not in ACTIVE_STATES:
        return _Standing(state="PENDING", reason=job.reason or f"job {job.job_id} waits in its queue")
    if happened.pause is not None:
        return _Standing(state="SUSPENDED", reason=happened.pause.text or f"it waits after step {step}")
    of_all = f" of {run.train.steps}" if run.train.steps is not None else ""
    if job.state == "COMPLETING":
        saves = "saves its state, then ends" if run.train.framework == "ogai" else "ends"
        return _Standing(state="RUNNING", reason=f"{saves}, as it was told; {step}{of_all} steps are done")
    again = f", start {job.attempt} of job {job.job_id}" if job.attempt > 1 else ""
    return _Standing(state="RUNNING", reason=f"{step}{of_all} steps are done{again}")


def _ended(run: Run, job: JobStatus, step: int, happened: Happened) -> _Standing:
    """Judge by the job alone; ogai's own trainer that ended without an outcome did not do all steps."""
    if job.state == "COMPLETED" and run.train.framework == "command":
        return _Standing(state="COMPLETED", reason="the command ended with 0", ended_at=job.ended_at)
    if job.state == "COMPLETED":
        reason = f"the trainer ended with 0 at step {step} and left no outcome"
        return _Standing(state="FAILED", reason=reason, ended_at=job.ended_at)
    if job.state == "CANCELLED":
        reason = f"stopped after step {step}" + (f" {job.reason}" if job.reason else "")
        return _Standing(state="CANCELLED", reason=reason, ended_at=job.ended_at)
    if happened.verdict is not None:
        reason = f"gave up after step {step}: {happened.verdict}"
        return _Standing(state="FAILED", reason=reason, ended_at=job.ended_at)
    why = job.reason or ENDS.get(job.state, "it gave no reason")
    return _Standing(state="FAILED", reason=f"ended after step {step}: {why}", ended_at=job.ended_at)

"""Scenes of runs as the live view sees them: a run of 2,000 steps that lived through two faults, and any at random."""

from math import exp

import msgspec
from hypothesis import strategies as st

from l2_scheduler.schemas import Job, JobStatus
from l3_modeltools import Mark, Metric, RankNow, RanksNow, Sample
from l3_modeltools.architectures import preset
from l3_modeltools.schemas import (
    Evidence,
    Figures,
    Run,
    SavedCheckpoint,
    TrainedModel,
    TrainingFault,
)
from ogai.flows.train.history import History
from ogai.flows.train.watch import Scene
from tests.support.runs import SUBMITTED_AT, a_command, a_run, a_status, a_train

BEGAN = SUBMITTED_AT + 5
STEP_S = 0.5


def metrics_of(steps: int, *, began: float = BEGAN, first: int = 1) -> list[Metric]:
    """Return a loss that falls from 10 to 3 with a little noise, a step every half second, from step `first`."""
    return [
        Metric(
            step=step,
            at=began + STEP_S * (step - first + 1),
            loss=3 + 7 * exp(-step / 300) + 0.3 * ((step * 7919) % 101 / 101 - 0.5),
            learning_rate=2e-3 * min(1.0, step / 100),
            grad_norm=1 + (step * 104729) % 97 / 97,
            validation_loss=3.2 + 7 * exp(-step / 300) if step % 250 == 0 else None,
            tokens=step * 4096.0,
            tokens_per_s=8192.0,
            step_s=STEP_S,
            memory_bytes=640 * 2**20,
        )
        for step in range(first, steps + 1)
    ]


def a_fault(number: int, *, step: int, at: float, **fields: object) -> TrainingFault:
    """Return a killed rank that was started again."""
    fault = TrainingFault(
        fault_id=number,
        run="small-1",
        fault_class="killed",
        summary="rank 1 was killed by signal 9 (SIGKILL), and the kernel tells of no lack of memory",
        detected_at=at,
        step=step,
        evidence=(Evidence(source="exit", rank=1, text="signal 9"),),
        advised="restart_worker",
        taken="restart_worker",
        resumed_at=at + 4.1,
        redone_steps=1,
    )
    return msgspec.structs.replace(fault, **fields)


def a_scene(*, done: int = 1200, steps: int = 2000, **fields: object) -> Scene:
    """Return a run of 2,000 steps on two ranks that has done 1,200."""
    run = a_run(
        a_train(model=TrainedModel(architecture=preset("tiny-llama")), steps=steps),
        state="RUNNING",
        step=done,
        job_ids=("7",),
        checkpoints=tuple(
            SavedCheckpoint(step=step, directory=f"checkpoints/step-{step:08}", manifest_sha256="a" * 64)
            for step in range(500, done, 500)
        ),
    )
    metrics = metrics_of(done)
    figures = Figures(tokens=done * 4096.0, at_work_s=8 + STEP_S * done, at_work_since=BEGAN - 8)
    run = msgspec.structs.replace(run, figures=figures)
    known: dict[str, object] = {
        "now": BEGAN + STEP_S * done + 0.1,
        "run": run,
        "job": a_status("RUNNING", attempt=1),
        "starts": (BEGAN - 8,),
        "history": History(metrics),
        "parameters": 4_196_608,
    }
    return Scene(**(known | fields))  # type: ignore[arg-type]


def slow_ranks(count: int, *, slowest: int, at: float, factor: float = 2.0) -> RanksNow:
    """Return ranks of which one needs longer than the others."""
    return RanksNow(
        at=at,
        ranks=tuple(
            RankNow(
                rank=rank,
                phase="forward",
                step=12,
                own_s=0.4 * (factor if rank == slowest else 1),
                idle_s=0.1,
            )
            for rank in range(count)
        ),
    )


WORDS = st.text(max_size=90)
"""Any text at all, as a program may print it."""

NUMBERS = st.none() | st.floats(allow_nan=True, allow_infinity=True)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """A run in any state, which told whatever it liked."""
    now = draw(st.floats(SUBMITTED_AT, 1e6))
    state = draw(st.sampled_from(["PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "FAILED", "CANCELLED"]))
    first = draw(st.integers(1, 10**6))
    told = draw(
        st.lists(
            st.builds(
                Metric,
                step=st.integers(first, first + 300),
                at=st.none() | st.floats(SUBMITTED_AT, 1e6),
                **dict.fromkeys(("loss", "learning_rate", "grad_norm", "validation_loss"), NUMBERS),
                tokens_per_s=st.none() | st.floats(0, 1e9),
            ),
            max_size=40,
        )
    )
    train = draw(st.sampled_from([a_train(steps=first + 300), a_command("x"), a_train(steps=first + 300)]))
    run: Run = a_run(
        train,
        state=state,
        reason=draw(WORDS),
        step=draw(st.integers(0, first + 300)),
        job_ids=("7",),
        ended_at=now if state in ("COMPLETED", "FAILED", "CANCELLED") else None,
    )
    faults = tuple(
        a_fault(
            number + 1,
            step=first + number,
            at=now,
            summary=draw(WORDS),
            taken=draw(st.sampled_from([None, "pause", "restart_job"])),
        )
        for number in range(draw(st.integers(0, 3)))
    )
    marks = draw(
        st.lists(
            st.builds(
                Mark,
                at=st.floats(SUBMITTED_AT, 1e6),
                mark=st.sampled_from(["supervised", "spawned", "ready", "saved", "paused", "went_on"]),
                step=st.none() | st.integers(first, first + 300),
                text=WORDS,
            ),
            max_size=5,
        )
    )
    ranks = draw(
        st.none() | st.builds(slow_ranks, st.integers(1, 20), slowest=st.integers(0, 3), at=st.just(now))
    )
    return Scene(
        now=now,
        run=run,
        job=JobStatus(job_id="7", job=Job(name="a", command=("true",)), attempt=1),
        starts=tuple(sorted(draw(st.lists(st.floats(SUBMITTED_AT, 1e6), max_size=3)))),
        history=History(told),
        marks=tuple(marks),
        faults=faults,
        ranks=ranks,
        samples=tuple(
            draw(st.lists(st.builds(Sample, step=st.just(first), prompt=WORDS, text=WORDS), max_size=2))
        ),
        saved_at=draw(st.none() | st.just(now)),
        log=tuple(draw(st.lists(WORDS, max_size=12))),
        parameters=draw(st.none() | st.just(4_196_608)),
    )

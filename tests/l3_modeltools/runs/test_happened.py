"""Restarts, what is waited for and why a run gave up, from its starts, marks and faults."""

from collections.abc import Sequence

import msgspec
import pytest

from l2_scheduler.schemas import JobState
from l3_modeltools.runs import Happened, Mark, MarkWord, Outcome, judge_run
from l3_modeltools.schemas import Evidence, TrainingFault
from tests.support.runs import a_run, a_status

RUN = a_run(job_ids=("7",))
FULL = "waits for room on the disk: 2.1 GiB are needed, 300 MiB are free"
FAULT = TrainingFault(
    fault_id=3,
    run="small-1",
    fault_class="not_finite",
    summary="rank 1: the loss is NaN in step 120 again",
    detected_at=1200.0,
    evidence=(Evidence(source="metric", text="loss nan"),),
    advised="give_up",
)


def marks(*told: tuple[float, MarkWord] | tuple[float, MarkWord, int]) -> tuple[Mark, ...]:
    """Return marks of a time, a word and, where it has one, a fault's number."""
    return tuple(Mark(at=at, mark=word, fault_id=rest[0] if rest else None) for at, word, *rest in told)


BEGUN = marks((1002, "supervised"), (1003, "spawned"), (1010, "ready"))
PAUSED = (*BEGUN, Mark(at=1050, mark="paused", text=FULL))


def judged_state(happened: Happened, state: JobState = "RUNNING") -> tuple[str, str]:
    judged = judge_run(RUN, a_status(state, attempt=1, ended_at=1300.0), None, (), happened=happened)
    return judged.state, judged.reason


def test_a_run_that_waits_for_room_is_suspended_and_says_for_what() -> None:
    assert judged_state(Happened(marks=PAUSED, starts=(1001.0,))) == ("SUSPENDED", FULL)
    silent = (*BEGUN, Mark(at=1050, mark="paused"))
    assert judged_state(Happened(marks=silent)) == ("SUSPENDED", "it waits after step 0")


@pytest.mark.parametrize("word", ["went_on", "spawned", "supervised", "ended"])
def test_it_runs_again_once_it_went_on_or_was_started_anew(word: MarkWord) -> None:
    assert judged_state(Happened(marks=(*PAUSED, Mark(at=1060, mark=word))))[0] == "RUNNING"


def test_it_runs_again_once_its_job_was_started_anew_though_nobody_marked_it() -> None:
    assert judged_state(Happened(marks=PAUSED, starts=(1001.0, 1070.0)))[0] == "RUNNING"


def test_saving_while_it_waits_does_not_end_the_wait() -> None:
    assert judged_state(Happened(marks=(*PAUSED, Mark(at=1060, mark="saved", step=8))))[0] == "SUSPENDED"


def test_only_a_job_that_holds_its_place_is_suspended() -> None:
    assert judged_state(Happened(marks=PAUSED), "PENDING")[0] == "PENDING"
    assert judged_state(Happened(marks=PAUSED), "CANCELLED")[0] == "CANCELLED"


IN_PLACE = (*BEGUN, *marks((1100, "spawned", 1), (1103, "ready"), (1120, "spawned", 2)))


@pytest.mark.parametrize(
    ("starts", "told", "restarts"),
    [
        ([1001], BEGUN, []),
        ([1001], IN_PLACE, [1100, 1120]),
        ([1001, 1200], (*IN_PLACE, *marks((1202, "supervised"), (1203, "spawned"))), [1100, 1120, 1200]),
        # the first ranks of a new supervisor bear the fault that made them necessary: the job's start is counted
        ([1001, 1200], (*IN_PLACE, *marks((1202, "supervised"), (1203, "spawned", 2))), [1100, 1120, 1200]),
        # the queue knows the first job no more
        ([1200], (*IN_PLACE, *marks((1202, "supervised"), (1203, "spawned"))), [1100, 1120, 1200]),
        ([], (*IN_PLACE, *marks((1202, "supervised"), (1203, "spawned", 2))), [1100, 1120, 1202]),
        # a start that died before its supervisor said a word
        ([1001, 1190, 1200], (*BEGUN, *marks((1202, "supervised"))), [1190, 1200]),
        ([1001, 1190, 1200], (), [1190, 1200]),
    ],
)
def test_every_restart_counts_once(
    starts: Sequence[float], told: tuple[Mark, ...], restarts: Sequence[float]
) -> None:
    happened = Happened(starts=tuple(map(float, starts)), marks=told)
    assert judge_run(RUN, None, None, (), happened=happened).restarts == tuple(restarts)


def gave_up(**fields: object) -> tuple[Mark, ...]:
    return (*BEGUN, msgspec.structs.replace(Mark(at=1200, mark="ended", exit_code=6, fault_id=3), **fields))


@pytest.mark.parametrize(
    ("told", "faults", "why"),
    [
        (gave_up(), (FAULT,), FAULT.summary),
        (gave_up(text="twice in the same step"), (FAULT,), f"{FAULT.summary}; twice in the same step"),
        (gave_up(text=FAULT.summary), (FAULT,), FAULT.summary),
        (gave_up(), (msgspec.structs.replace(FAULT, summary=""),), "not_finite"),
        (gave_up(text="10 restarts within a day"), (), "10 restarts within a day"),
        (gave_up(), (), "it gave no reason"),
    ],
)
def test_a_run_that_gave_up_names_the_fault_instead_of_an_exit_code(
    told: tuple[Mark, ...], faults: tuple[TrainingFault, ...], why: str
) -> None:
    happened = Happened(starts=(1001.0,), marks=told, faults=faults)
    job = a_status("FAILED", reason="task 0 ended with 6", ended_at=1201.0)
    judged = judge_run(RUN, job, None, (), happened=happened)
    assert (judged.state, judged.reason) == ("FAILED", f"gave up after step 0: {why}")
    assert judged.ended_at == 1201.0


@pytest.mark.parametrize(
    ("told", "starts"),
    [
        (gave_up(exit_code=75), ()),
        ((*gave_up(), Mark(at=1300, mark="supervised")), ()),
        (gave_up(), (1001.0, 1300.0)),
        (BEGUN, ()),
    ],
)
def test_any_other_end_is_told_by_the_job(told: tuple[Mark, ...], starts: tuple[float, ...]) -> None:
    happened = Happened(starts=starts, marks=told, faults=(FAULT,))
    judged = judge_run(RUN, a_status("FAILED", reason="its node went away"), None, (), happened=happened)
    assert judged.reason == "ended after step 0: its node went away"


def test_the_faults_are_in_the_document_whatever_became_of_it() -> None:
    happened = Happened(marks=gave_up(), faults=(FAULT,))
    assert judge_run(RUN, None, None, (), happened=happened).faults_seen == (FAULT,)
    done = Outcome(step=40, ended_at=1300.0)
    judged = judge_run(RUN, a_status("COMPLETED", ended_at=1300.0), done, (), happened=happened)
    assert (judged.state, judged.faults_seen) == ("COMPLETED", (FAULT,))

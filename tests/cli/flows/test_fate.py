"""Whether jobs ended as hoped: only COMPLETED is good."""

from typing import get_args

import pytest

from l0_infra.core.errors import UnhealthyError
from l2_scheduler.schemas import ACTIVE_STATES, FINAL_STATES, Job, JobState, JobStatus
from ogai.flows.job.fate import judge_fate


def ended(state: JobState, job_id: str = "1") -> JobStatus:
    return JobStatus(job_id=job_id, job=Job(name="a", command=("true",)), state=state, attempt=1)


def test_completed_is_good() -> None:
    judge_fate([ended("COMPLETED"), ended("COMPLETED", "2")])


@pytest.mark.parametrize("state", sorted(FINAL_STATES - {"COMPLETED"}))
def test_every_other_end_is_bad(state: JobState) -> None:
    with pytest.raises(UnhealthyError, match=state) as caught:
        judge_fate([ended("COMPLETED"), ended(state, "2")])
    assert caught.value.hint == "ogai job logs 2"


def test_a_state_is_waiting_active_or_final() -> None:
    assert {"PENDING"} | ACTIVE_STATES | FINAL_STATES == set(get_args(JobState))
    assert not ACTIVE_STATES & FINAL_STATES

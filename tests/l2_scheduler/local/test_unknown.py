"""An unknown id is answered with the job most likely meant."""

import pytest

from l2_scheduler.local.unknown import unknown_job
from l2_scheduler.schemas import Job, JobStatus


def status(job_id: str, name: str) -> JobStatus:
    return JobStatus(job_id=job_id, job=Job(name=name, command=("true",)))


KNOWN = (status("3", "train"), status("5_0", "sweep"), status("5_9", "sweep"), status("20", "train"))


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("train", "20 is the newest job named train"),
        ("5_17", "array 5 goes from 5_0 to 5_9"),
        ("21", "the nearest is 20 (train)"),
        ("1", "the nearest is 3 (train)"),
        ("evaluate", "`ogai job list --all`"),
        ("-1", "`ogai job list --all`"),
        ("²", "`ogai job list --all`"),
    ],
)
def test_the_hint_names_the_job_meant(reference: str, hint: str) -> None:
    error = unknown_job(reference, KNOWN)
    assert error.hint.startswith(hint)
    assert error.exit_code == 2


def test_without_any_job_there_is_no_nearest() -> None:
    assert "nearest" not in unknown_job("1", ()).hint

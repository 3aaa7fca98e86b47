"""`import ogai` for a program: one id is one job, and what is no job never gets into the queue."""

import pytest

from l0_infra.core.errors import DocumentError
from ogai import job as api
from tests.cli.job.conftest import Ogai

pytestmark = pytest.mark.real


def test_an_id_given_alone_is_not_taken_apart(ogai: Ogai) -> None:
    for _ in range(12):
        ogai("job", "submit", "--hold", "--", "true")
    assert [change.status.job_id for change in api.cancel("12")] == ["12"]
    assert [status.job_id for status in api.poll("12")] == ["12"]
    assert [status.state for status in api.poll(["1", "2"])] == ["PENDING", "PENDING"]


def test_a_job_of_wrong_values_is_refused_whole_and_harms_no_other(ogai: Ogai) -> None:
    job = api.Job(name="two words", command=("true",), resources=api.Resources(cpus_per_task=0))
    with pytest.raises(DocumentError) as caught:
        api.submit(job)
    assert str(caught.value) == (
        'name: found `"two words"`; expected a name of at most 64 letters, digits, `.`, `_` and `-`\n'
        "resources.cpus_per_task: found `0`; expected an integer of 1 or more"
    )
    sound = api.submit(api.Job(name="sound", command=("true",)))
    assert api.wait(sound[0].job_id, timeout_s=60)[0].state == "COMPLETED"


def test_what_a_job_printed_is_had_without_an_engine(ogai: Ogai) -> None:
    (job,) = api.submit(api.Job(name="say", command=("printf", "a\\nb")))
    assert b"".join(api.output(job.job_id, follow=True)) == b"a\nb"

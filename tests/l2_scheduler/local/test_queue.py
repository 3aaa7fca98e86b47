"""The persistent queue: what is in it, who may change what, and that nothing half-done stays."""

import json
from pathlib import Path

import pytest

from l0_infra.core.errors import EngineError, UsageError
from l2_scheduler.local.book import Book
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.queue import JobQueue, Rule
from l2_scheduler.local.shell import Shell
from l2_scheduler.placement import Start
from l2_scheduler.schemas import Array, Dependency, Job, NodeShare


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "scheduler").prepare()


@pytest.fixture
def queue(layout: Layout) -> JobQueue:
    return JobQueue(layout)


def job(name: str = "a", **fields: object) -> Job:
    return Job(name=name, command=("true",), **fields)  # type: ignore[arg-type]


def test_a_job_comes_back_as_it_went_in(queue: JobQueue) -> None:
    wanted = job(environment={"A": "b"}, priority=3)
    (job_id,) = queue.add(wanted, Shell(environment={"PATH": "/bin"}), 5.0)
    (record,) = queue.find(job_id)
    assert record.status.job == wanted
    assert (record.status.state, record.status.priority, record.status.submitted_at) == ("PENDING", 3, 5.0)


def test_the_environment_is_for_the_owner_only(queue: JobQueue, layout: Layout) -> None:
    queue.add(job(), Shell(environment={"TOKEN": "s3cret", "ODD": "\udcff"}), 0.0)
    file = layout.environment(1)
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_bytes())["environment"] == {"TOKEN": "s3cret", "ODD": "\udcff"}
    readable = b"".join(path.read_bytes() for path in layout.root.glob("queue.db*"))
    assert b"s3cret" not in readable


def test_an_array_is_one_submission_of_many_jobs(queue: JobQueue) -> None:
    ids = queue.add(job(array=Array(indices="0-4:2,7")), Shell(environment={}), 0.0)
    assert ids == ("1_0", "1_2", "1_4", "1_7")
    assert [record.job_id for record in queue.find("1")] == list(ids)
    assert [record.status.array_index for record in queue.find("1_7")] == [7]
    assert queue.add(job(), Shell(environment={}), 0.0) == ("2",)


@pytest.mark.parametrize("indices", ["5-1", "0-9:0", "0-200000", "0-99999,100001-300000"])
def test_bad_indices_add_nothing(queue: JobQueue, indices: str) -> None:
    with pytest.raises(UsageError):
        queue.add(job(array=Array(indices=indices)), Shell(environment={}), 0.0)
    assert queue.all() == []


def test_a_submission_whose_environment_cannot_be_saved_is_not_queued(
    queue: JobQueue, layout: Layout
) -> None:
    layout.private.rmdir()
    with pytest.raises(EngineError, match="room for the job's environment"):
        queue.add(job(), Shell(environment={}), 0.0)
    assert queue.all() == []


def test_changes_are_read_once(queue: JobQueue) -> None:
    queue.add(job("a"), Shell(environment={}), 0.0)
    seq, first = queue.changes(-1)
    assert [record.job_id for record in first] == ["1"]
    assert queue.changes(seq) == (seq, [])
    queue.change("1", ["PENDING"], held=True)
    later, second = queue.changes(seq)
    assert later > seq
    assert second[0].status.held


def test_a_change_needs_the_state_it_expects(queue: JobQueue) -> None:
    queue.add(job(), Shell(environment={}), 0.0)
    assert not queue.change("1", ["RUNNING"], state="COMPLETED")
    assert queue.change("1", ["PENDING"], state="CANCELLED")
    assert not queue.change("1", ["PENDING"], state="COMPLETED")


def test_a_wish_made_meanwhile_is_not_lost(queue: JobQueue) -> None:
    queue.add(job(), Shell(environment={}), 0.0)
    queue.change("1", ["PENDING"], state="RUNNING")
    queue.change("1", ["RUNNING"], request="cancel")
    settled = Rule(("RUNNING",), {"state": "PENDING", "request": ""}, seen_request="")
    assert queue.change_each(["1"], settled) == []
    assert queue.find("1")[0].request == "cancel"


def test_starting_takes_only_jobs_that_still_wait(queue: JobQueue) -> None:
    for _ in range(3):
        queue.add(job(), Shell(environment={}), 0.0)
    queue.change("2", ["PENDING"], held=True)
    queue.change("3", ["PENDING"], state="CANCELLED")
    share = (NodeShare(node="n", cpus=1),)
    starts = [Start(job_id=str(number), allocation=share, reason="") for number in (1, 2, 3)]
    assert queue.start(starts, 9.0) == {"1"}
    (record,) = queue.find("1")
    assert (record.status.state, record.status.attempt, record.status.allocation) == ("CONFIGURING", 1, share)


def test_ended_jobs_are_removed_and_the_last_takes_its_submission_along(
    queue: JobQueue, layout: Layout
) -> None:
    queue.add(job(array=Array(indices="0-1")), Shell(environment={}), 0.0)
    assert queue.remove(["1_0", "1_1"]) == []
    queue.change_each(["1_0", "1_1"], Rule(("PENDING",), {"state": "FAILED"}))
    assert queue.remove(["1_0"]) == [layout.job("1_0")]
    assert queue.remove(["1_1"]) == [layout.job("1_1"), layout.environment(1)]
    assert queue.add(job(), Shell(environment={}), 0.0) == ("2",)


def test_the_book_shows_placement_open_jobs_and_what_they_wait_for(queue: JobQueue) -> None:
    queue.add(job(array=Array(indices="0-1")), Shell(environment={}), 0.0)
    queue.add(job(), Shell(environment={}), 0.0)
    for job_id in ("1_0", "1_1", "2"):
        queue.change(job_id, ["PENDING"], state="COMPLETED")
    queue.add(job(depends_on=(Dependency(job="1"),)), Shell(environment={}), 0.0)
    book = Book()
    book.refresh(queue)
    assert sorted(status.job_id for status in book.relevant()) == ["1_0", "1_1", "3"]
    queue.change("1_0", ["COMPLETED"], state="PENDING")
    book.refresh(queue)
    assert [record.job_id for record in book.pending()] == ["3", "1_0"]

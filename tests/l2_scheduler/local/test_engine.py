"""What the engine does with wishes before any agent acts: captured, refused, or written into the queue."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.errors import UnsatisfiableError, UsageError
from l1_podsys.schemas import NodeState
from l2_scheduler.local.engine import LocalEngine
from l2_scheduler.schemas import Dependency, Job, Limits

HERE = Path("/tmp")
PATH = {"PATH": "/usr/bin:/bin"}


def probe(*, accelerators: bool = True) -> NodeState:
    return NodeState(name="n1", cpus=4, memory_bytes=2**34)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[LocalEngine]:
    """An engine whose agent never comes."""
    engine = LocalEngine(
        tmp_path / "home",
        ledger=tmp_path / "ledger",
        probe=probe,
        spawn_agent=lambda descriptor: None,
        version="1",
    )
    yield engine
    engine.close()


def a_job(**fields: object) -> Job:
    return msgspec.structs.replace(Job(name="a", command=("true",)), **fields)


def submit(engine: LocalEngine, job: Job, **environment: str) -> str:
    return engine.submit(job, environment=PATH | environment, directory=HERE)[0]


def test_a_job_inherits_the_shell_but_nothing_of_the_job_that_submits_it(engine: LocalEngine) -> None:
    submit(engine, a_job(), LANG="C", OGAI_RANK="3", OGAI_HOME="/h", OGAI_LEDGER="/l", OGAI_TOKEN="t")
    captured = json.loads(engine.layout.environment(1).read_text())["environment"]
    assert captured == PATH | {"LANG": "C", "OGAI_HOME": "/h", "OGAI_LEDGER": "/l"}


def test_a_secret_must_be_in_the_shell_and_its_value_stays_out_of_the_job(engine: LocalEngine) -> None:
    job = a_job(secrets=("TOKEN",))
    with pytest.raises(UsageError, match="secret TOKEN"):
        submit(engine, job)
    job_id = submit(engine, job, TOKEN="hush")
    assert b"hush" not in msgspec.json.encode(engine.poll([job_id]))


def test_a_queue_s_longest_time_may_be_asked_for_and_no_more(engine: LocalEngine) -> None:
    engine.layout.queues.write_text(
        "kind: queues\nqueues: [{name: default, max_time_s: 60, default_time_s: 60}]\n"
    )
    submit(engine, a_job(limits=Limits(time_s=60)))
    with pytest.raises(UnsatisfiableError, match="at most 1m in queue default"):
        submit(engine, a_job(limits=Limits(time_s=61)))


def test_a_requeued_job_has_all_its_retries_again(engine: LocalEngine) -> None:
    job_id = submit(engine, a_job())
    engine.queue.change(job_id, ["PENDING"], state="FAILED", retries=2, restarts=1, ended_at=9.0)
    assert engine.requeue([job_id]) == (job_id,)
    (record,) = engine.queue.find(job_id)
    assert (record.status.state, record.retries, record.restarts) == ("PENDING", 0, 0)


def test_a_job_that_others_wait_for_is_not_forgotten(engine: LocalEngine) -> None:
    first, other = submit(engine, a_job()), submit(engine, a_job())
    submit(engine, a_job(depends_on=(Dependency(job=first),)))
    for job_id in (first, other):
        engine.queue.change(job_id, ["PENDING"], state="COMPLETED", ended_at=1.0)
    assert [pruned.job_id for pruned in engine.prune(older_than_s=0, apply=True)] == [other]
    assert [status.job_id for status in engine.poll()] == [first, "3"]

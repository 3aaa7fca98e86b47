"""One turn of the agent at a time, over a real queue and ledger, with no process behind it."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.errors import FactsMissingError
from l1_podsys.schemas import NodeState
from l2_scheduler import Start
from l2_scheduler.local.agent import Agent
from l2_scheduler.local.bell import Bell
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.ledger import Ledger
from l2_scheduler.local.locks import exclusive
from l2_scheduler.schemas import Job, JobState, JobStatus, NodeShare

NODE = NodeState(name="n1", cpus=4, memory_bytes=2**34)


def probe(*, accelerators: bool = True) -> NodeState:
    return NODE


def silent_tool(*, accelerators: bool = True) -> NodeState:
    if accelerators:
        raise FactsMissingError("n1: nvidia-smi", found="no answer", expected="a list of accelerators")
    return NODE


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    layout = Layout(tmp_path / "scheduler")
    layout.prepare()
    bell = Bell(layout.bell)
    agent = Agent(layout, Ledger(tmp_path / "ledger"), probe, bell)
    yield agent
    agent.queue.close()
    bell.close()


def add(agent: Agent, **columns: object) -> str:
    """Queue a job, put it into a state, and have the agent see it."""
    (job_id,) = agent.queue.add(Job(name="a", command=("true",)), {}, time.time())
    if columns:
        agent.queue.change(job_id, ["PENDING"], **columns)  # type: ignore[arg-type]
    agent.refresh()
    return job_id


def status(agent: Agent, job_id: str) -> JobStatus:
    return agent.queue.find(job_id)[0].status


def claims(agent: Agent) -> int:
    with agent.placer.ledger.locked() as ledger:
        return len(ledger.claims())


def start(job_id: str) -> Start:
    share = NodeShare(node="n1", cpus=1)
    return Start(job_id=job_id, allocation=(share,), reason="first in order")


def test_a_wait_that_a_jump_of_the_clock_made_long_is_cut_to_the_longest_back_off(agent: Agent) -> None:
    job_id = add(agent, not_before=time.time() + 1e6)
    agent.forgive_clock(agent.book.open[job_id])
    not_before = status(agent, job_id).not_before
    assert not_before is not None and not_before < time.time() + 1000


@pytest.mark.parametrize(("request_", "order"), [("kill", b"kill"), ("cancel", b"end"), ("requeue", b"end")])
def test_a_wish_is_passed_on_to_the_shim(agent: Agent, request_: str, order: bytes) -> None:
    job_id = add(agent, state="RUNNING", attempt=1, request=request_, request_reason="by ada")
    folder = agent.layout.attempt(job_id, 1)
    folder.mkdir(parents=True)
    os.mkfifo(folder / "control")
    reader = os.open(folder / "control", os.O_RDONLY | os.O_NONBLOCK)
    agent.grant(agent.book.open[job_id])
    assert os.read(reader, 100) == order + b" CANCELLED by ada\n"
    assert status(agent, job_id).state == "COMPLETING"
    os.close(reader)


def test_a_wish_waits_for_a_shim_that_is_not_there_yet(agent: Agent) -> None:
    job_id = add(agent, state="RUNNING", attempt=1, request="cancel")
    agent.grant(agent.book.open[job_id])
    assert status(agent, job_id).state == "RUNNING"


def test_a_vendor_s_silent_tool_does_not_keep_jobs_without_accelerators(agent: Agent) -> None:
    agent.placer.probe = silent_tool
    assert agent.placer.look() == NODE


def test_a_claim_for_a_job_that_waits_no_more_is_given_back(agent: Agent) -> None:
    held, waiting = add(agent, held=True), add(agent)
    with agent.placer.ledger.locked() as ledger:
        assert agent.placer.take(ledger, [start(held), start(waiting)]) == [waiting]
    assert claims(agent) == 1


def test_a_job_that_cannot_be_launched_waits_and_holds_nothing(agent: Agent) -> None:
    job_id = add(agent)
    agent.layout.job(job_id).touch()  # where its folder should be
    agent.placer.place()
    after = status(agent, job_id)
    assert (after.state, after.allocation, claims(agent)) == ("PENDING", (), 0)
    assert after.reason.startswith("cannot be started: ")
    assert after.not_before is not None and after.not_before > time.time()


@pytest.mark.parametrize(("state", "then"), [("RUNNING", "NODE_FAIL"), ("CONFIGURING", "PENDING")])
def test_an_attempt_without_a_trace_is_run_again_only_if_it_never_ran(
    agent: Agent, state: JobState, then: str
) -> None:
    job_id = add(agent, state=state, attempt=1, started_at=1.0)
    agent.reconcile(agent.book.open[job_id])
    assert status(agent, job_id).state == then


def test_what_a_job_s_shim_published_is_its_end(agent: Agent) -> None:
    job_id = add(agent, state="RUNNING", attempt=1, started_at=1.0)
    folder = agent.layout.attempt(job_id, 1)
    folder.mkdir(parents=True)
    outcome = {"state": "TIMEOUT", "reason": "too long", "exit_code": None, "signal": 15}
    times = {"started_at": 1.0, "ended_at": 3.0, "elapsed_s": 2.0}
    with exclusive(folder / "lock"):
        agent.reconcile(agent.book.open[job_id])
        assert status(agent, job_id).state == "RUNNING"
    (folder / "exit.json").write_bytes(msgspec.json.encode(outcome | times))
    agent.reconcile(agent.book.open[job_id])
    after = status(agent, job_id)
    assert (after.state, after.reason, after.signal, after.elapsed_s) == ("TIMEOUT", "too long", 15, 2.0)

"""Whatever is killed, each job ends with exactly one outcome and leaves nothing behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from l2_scheduler.local.attempts import read_keeper
from l2_scheduler.local.launch import describe_launch, launch
from l2_scheduler.schemas import Limits, Retry
from tests.support.world import World, eventually, has_run

pytestmark = pytest.mark.real


def kill_agent(world: World) -> None:
    agent = world.engine.agent()
    assert agent is not None
    os.kill(agent.pid, signal.SIGKILL)


def kill_shim(world: World, job_id: str, attempt: int = 1) -> None:
    keeper = read_keeper(world.engine.layout.attempt(job_id, attempt))
    assert keeper is not None
    os.kill(keeper.pid, signal.SIGKILL)


def test_a_job_outlives_its_agent_and_the_next_one_records_it(world: World) -> None:
    job_id = world.submit("bash", "-c", "sleep 0.5; echo done")
    world.until(job_id, "RUNNING")
    kill_agent(world)
    (status,) = world.wait(job_id)
    assert (status.state, status.attempt) == ("COMPLETED", 1)
    assert world.log(job_id) == "done\n"


def test_a_job_that_ended_without_an_agent_is_not_run_again(world: World) -> None:
    job_id = world.submit("bash", "-c", "echo run >> runs; sleep 0.3")
    world.until(job_id, "RUNNING")
    kill_agent(world)
    eventually((world.engine.layout.attempt(job_id, 1) / "exit.json").exists)
    world.engine.wake()
    assert world.wait(job_id)[0].state == "COMPLETED"
    assert (world.folder / "runs").read_text() == "run\n"


def test_a_killed_shim_takes_its_job_along_once(world: World) -> None:
    job_id = world.submit("bash", "-c", "setsid env -i /bin/sleep 97.5 & sleep 98.5")
    listed = world.engine.layout.attempt(job_id, 1) / "processes.json"
    eventually(lambda: listed.exists() and len(json.loads(listed.read_text())["processes"]) == 3)
    world.until(job_id, "RUNNING")
    kill_shim(world, job_id)
    (status,) = world.wait(job_id)
    assert (status.state, status.reason) == ("NODE_FAIL", "its shim, the process that kept it, was killed")
    assert subprocess.run(["pgrep", "-f", "sleep 9[78][.]5"], stdout=subprocess.DEVNULL).returncode == 1


def test_a_restartable_job_starts_again_after_its_shim_was_killed(world: World) -> None:
    job_id = world.submit("bash", "-c", "sleep $((2 - OGAI_ATTEMPT))", retry=Retry(restartable=True))
    world.until(job_id, "RUNNING")
    kill_shim(world, job_id)
    (status,) = world.wait(job_id)
    assert (status.state, status.attempt) == ("COMPLETED", 2)


def test_shim_and_agent_killed_together(world: World) -> None:
    job_id = world.submit("sleep", "60")
    world.until(job_id, "RUNNING")
    kill_agent(world)
    kill_shim(world, job_id)
    world.engine.wake()
    assert world.wait(job_id)[0].state == "NODE_FAIL"


def test_a_launch_cut_short_is_made_void_and_done_again(world: World) -> None:
    """The agent died between marking the job as starting and starting its shim, which comes late."""
    job_id = world.engine.submit(
        world.engine.queue.find(world.submit("bash", "-c", "echo run >> runs"))[0].status.job,
        environment=dict(os.environ),
        directory=world.folder,
        held=True,
    )[0]
    share = '[{"node":"n","cpus":1}]'
    world.engine.queue.change(
        job_id, ["PENDING"], state="CONFIGURING", attempt=1, held=False, allocation=share
    )
    world.engine.wake()
    (status,) = world.wait(job_id)
    assert (status.state, status.attempt) == ("COMPLETED", 2)
    record = world.engine.queue.find(job_id)[0]
    told = describe_launch(record, world.engine.layout, frozenset(), None) | {"attempt": 1}
    late = launch_late(world, job_id, told)
    assert late != 0
    assert (world.folder / "runs").read_text() == "run\n" * 2


def launch_late(world: World, job_id: str, told: dict[str, object]) -> int:
    import msgspec

    record = world.engine.queue.find(job_id)[0]
    first = msgspec.structs.replace(record, status=msgspec.structs.replace(record.status, attempt=1))
    return launch(first, world.engine.layout, told, None).wait()


def test_a_newer_version_takes_over_while_jobs_run(world: World) -> None:
    job_id = world.submit("sleep", "1")
    world.until(job_id, "RUNNING")
    before = world.engine.agent()
    world.engine.version = "99.0"
    world.engine.wake()
    (status,) = world.wait(job_id)
    after = world.engine.agent()
    assert (status.state, status.attempt) == ("COMPLETED", 1)
    assert before is not None
    assert after is not None
    assert before.pid != after.pid


def test_cancel_ends_every_process_even_the_stubborn(world: World) -> None:
    script = "trap '' TERM; setsid sleep 96.5 & sleep 96.5 & echo up; while :; do sleep 96.5; done"
    job_id = world.submit("bash", "-c", script, limits=Limits(grace_s=0.5))
    world.until(job_id, "RUNNING")
    eventually(lambda: world.log(job_id) == "up\n")
    assert world.engine.cancel([job_id]) == (job_id,)
    (status,) = world.wait(job_id)
    assert status.state == "CANCELLED"
    assert subprocess.run(["pgrep", "-f", "sleep 96[.]5"], stdout=subprocess.DEVNULL).returncode == 1


def test_a_waiting_job_is_cancelled_without_any_agent(world: World) -> None:
    world.engine.spawn_agent = lambda _descriptor: None
    job_id = world.submit("true")
    world.engine.cancel([job_id])
    assert world.status(job_id).state == "CANCELLED"


def test_an_agent_that_cannot_start_is_told(world: World) -> None:
    from l0_infra.core.errors import EngineError

    def broken(_descriptor: int) -> None:
        world.engine.layout.agent_log.write_text("cannot import name x\n")

    world.engine.spawn_agent = broken
    job_id = world.submit("true")
    with pytest.raises(EngineError, match="cannot import name x"):
        world.engine.wait([job_id], 30)
    world.engine.cancel([job_id])


def test_an_agent_started_from_within_a_job_outlives_that_job(world: World) -> None:
    """The agent dies, a job submits another and so starts the next agent below its own shim, then ends."""
    submit = "from ogai.main import main; main(['job', 'submit', '--', 'sleep', '1'])"
    script = f'sleep 0.5; {sys.executable} -c "{submit}"'
    outer = world.submit("bash", "-c", script)
    world.until(outer, "RUNNING")
    kill_agent(world)
    eventually(lambda: len(world.engine.poll()) == 2)
    states = [status.state for status in world.wait(outer, str(int(outer) + 1))]
    assert states == ["COMPLETED", "COMPLETED"]


def test_a_job_whose_folder_is_removed_is_not_run_twice(world: World) -> None:
    job_id = world.submit("bash", "-c", "echo run >> runs; sleep 2")
    world.until(job_id, "RUNNING")
    eventually(lambda: has_run(world))
    shutil.rmtree(world.engine.layout.job(job_id))
    kill_agent(world)
    world.engine.wake()
    (status,) = world.wait(job_id)
    assert (status.state, status.reason) == ("NODE_FAIL", "its folder was removed while it ran")
    time.sleep(2)
    assert (world.folder / "runs").read_text() == "run\n"

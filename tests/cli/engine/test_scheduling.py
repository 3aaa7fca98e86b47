"""The rules of the queue, seen on real jobs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from l0_infra.core.errors import FactsMissingError, UnsatisfiableError, UsageError
from l2_scheduler.schemas import Array, Dependency, Job, Limits, Resources, Retry
from tests.support.world import CPUS, World, eventually, has_run, write_tool

pytestmark = pytest.mark.real


NVIDIA_SMI = """
import subprocess
import sys
query = " ".join(sys.argv[1:])
if "compute-apps" in query:
    print("GPU-bbbb, 4242, 1024")
else:
    fields = next(a for a in sys.argv if a.startswith("--query-gpu=")).split("=")[1].split(",")
    for index, letter in enumerate("abc"):
        values = {"index": index, "uuid": f"GPU-{letter * 4}", "name": "NVIDIA Test 9000",
                  "driver_version": "555.10.01", "pci.bus_id": f"00000000:0{index + 1}:00.0",
                  "memory.total": 1000, "memory.used": 10, "utilization.gpu": 0}
        print(", ".join(str(values.get(field.strip(), "[N/A]")) for field in fields))
"""


def test_dependencies_order_jobs_and_cancel_the_hopeless(world: World) -> None:
    good = world.submit("bash", "-c", "sleep 0.2; echo good >> order")
    bad = world.submit("false")
    after = world.submit("bash", "-c", "echo after >> order", depends_on=(Dependency(job=good),))
    never = world.submit("true", depends_on=(Dependency(job=bad),))
    cleanup = world.submit("true", depends_on=(Dependency(job=bad, condition="afternotok"),))
    states = [status.state for status in world.wait(good, bad, after, never, cleanup)]
    assert states == ["COMPLETED", "FAILED", "COMPLETED", "CANCELLED", "COMPLETED"]
    assert (world.folder / "order").read_text() == "good\nafter\n"
    assert f"job {bad}" in world.status(never).reason


def test_an_array_respects_its_throttle_and_a_dependency_on_it_waits_for_all(world: World) -> None:
    script = "echo + >> trace; sleep 0.2; echo - >> trace"
    array = world.submit("bash", "-c", script, array=Array(indices="0-3", throttle=1))
    gather = world.submit("true", depends_on=(Dependency(job=array),))
    world.wait(array, gather)
    assert (world.folder / "trace").read_text() == "+\n-\n" * 4
    assert world.status(gather).started_at > max(s.ended_at for s in world.engine.poll([array]))  # type: ignore[operator,type-var]


def test_a_failed_job_is_retried_with_back_off(world: World) -> None:
    job_id = world.submit("bash", "-c", "[ $OGAI_ATTEMPT = 3 ]", retry=Retry(limit=3, backoff_s=0.2))
    (status,) = world.wait(job_id)
    assert (status.state, status.attempt) == ("COMPLETED", 3)


def test_a_time_limit_ends_a_job_after_its_warning(world: World) -> None:
    limits = Limits(time_s=1, warn_signal="USR1", warn_before_s=0.6, grace_s=0.3)
    job_id = world.submit(
        "bash", "-c", "trap 'echo warned' USR1; while :; do sleep 0.05; done", limits=limits
    )
    (status,) = world.wait(job_id)
    assert status.state == "TIMEOUT"
    assert world.log(job_id).endswith("warned\n")


def test_a_memory_limit_ends_a_job(world: World) -> None:
    hungry = "x = bytearray(200 << 20); import time; time.sleep(30)"
    resources = Resources(memory_bytes_per_node=100 << 20)
    job_id = world.submit(sys.executable, "-c", hungry, resources=resources)
    assert world.wait(job_id)[0].state == "OUT_OF_MEMORY"


def test_a_gang_starts_together_and_fails_together(world: World) -> None:
    resources = Resources(tasks_per_node=CPUS)
    script = "[ $OGAI_RANK = 0 ] && exit 7; sleep 60"
    job_id = world.submit("bash", "-c", script, resources=resources, limits=Limits(grace_s=0.3))
    (status,) = world.wait(job_id)
    assert (status.state, status.exit_code) == ("FAILED", 7)


def test_hold_release_and_priority(world: World) -> None:
    blocker = world.submit("sleep", "0.5", resources=Resources(cpus_per_task=CPUS))
    first = world.submit("bash", "-c", "echo first >> order", resources=Resources(cpus_per_task=CPUS))
    second = world.submit("bash", "-c", "echo second >> order", resources=Resources(cpus_per_task=CPUS))
    held = world.submit("true")
    world.engine.hold([held])
    world.engine.prioritize([second], 10)
    world.wait(blocker, first, second)
    assert (world.folder / "order").read_text() == "second\nfirst\n"
    assert world.status(held).state == "PENDING"
    world.engine.release([held])
    assert world.wait(held)[0].state == "COMPLETED"


def test_a_running_job_is_requeued_from_the_start(world: World) -> None:
    job_id = world.submit("bash", "-c", "echo run >> runs; [ $OGAI_ATTEMPT = 2 ] || sleep 60")
    world.until(job_id, "RUNNING")
    eventually(lambda: has_run(world))
    world.engine.requeue([job_id])
    (status,) = world.wait(job_id)
    assert (status.state, status.attempt) == ("COMPLETED", 2)
    assert (world.folder / "runs").read_text() == "run\n" * 2


def test_accelerators_are_given_out_and_those_in_use_outside_avoided(world: World, tmp_path: Path) -> None:
    write_tool(tmp_path / "bin", "nvidia-smi", NVIDIA_SMI)
    print_it = "echo [$CUDA_VISIBLE_DEVICES] $CUDA_DEVICE_ORDER; sleep 0.3"
    both = world.submit("bash", "-c", print_it, resources=Resources(gpus_per_node=2))
    none = world.submit("bash", "-c", print_it)
    world.wait(both, none)
    assert world.log(both) == "[0,2] PCI_BUS_ID\n"
    assert world.log(none) == "[] PCI_BUS_ID\n"
    with pytest.raises(UnsatisfiableError):
        world.submit("true", resources=Resources(gpus_per_node=4))
    three = world.submit("true", resources=Resources(gpus_per_node=3))
    assert "pid 4242" in str(world.engine.explain(three))


def test_what_can_never_run_is_refused(world: World) -> None:
    with pytest.raises(UnsatisfiableError, match="CPUs"):
        world.submit("true", resources=Resources(cpus_per_task=CPUS + 1))
    with pytest.raises(UsageError, match="no program"):
        world.submit("no-such-program-here")
    with pytest.raises(UsageError, match="no such job"):
        world.submit("true", depends_on=(Dependency(job="999"),))
    with pytest.raises(UsageError, match="secret"):
        world.submit("true", secrets=("NO_SUCH_SECRET",))
    assert world.engine.poll() == ()


def test_a_job_sees_the_shell_it_came_from_but_not_the_job_it_came_from(world: World) -> None:
    environment = {**os.environ, "MINE": "1", "OGAI_JOB_ID": "77", "OGAI_RANK": "5"}
    job = Job(name="x", command=("env",), environment={"EXTRA": "2"})
    (job_id,) = world.engine.submit(job, environment=environment, directory=world.folder)
    world.wait(job_id)
    lines = set(world.log(job_id).splitlines())
    assert {"MINE=1", "EXTRA=2", f"OGAI_JOB_ID={job_id}", "OGAI_RANK=0"} <= lines


def test_prune_forgets_ended_jobs_only(world: World) -> None:
    ended, held = world.submit("true"), world.submit("true")
    world.wait(ended)
    world.engine.hold([held])
    assert [one.job_id for one in world.engine.prune(older_than_s=0, apply=False)][:1] == [ended]
    world.engine.prune(older_than_s=0, apply=True)
    assert not world.engine.layout.job(ended).exists()
    assert not world.engine.layout.environment(int(ended)).exists()


def test_a_vendors_tool_that_fails_stops_no_other_job(world: World, tmp_path: Path) -> None:
    write_tool(
        tmp_path / "bin",
        "nvidia-smi",
        "raise SystemExit('Failed to initialize NVML: Driver/library version mismatch')",
    )
    assert world.wait(world.submit("true"))[0].state == "COMPLETED"
    with pytest.raises(FactsMissingError, match="nvidia-smi"):
        world.submit("true", resources=Resources(gpus_per_node=1))


def test_a_job_inherits_mask_and_limits_of_the_shell_it_came_from(world: World) -> None:
    """The agent was started by another shell, whose mask and limits must not matter."""
    world.wait(world.submit("true"))
    script = "ulimit -Sn 77; umask 027; ogai job submit -- bash -c 'ulimit -Sn; umask'"
    python = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{python}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    main = f"{sys.executable} -m ogai"
    done = subprocess.run(
        ["bash", "-c", script.replace("ogai", main, 1)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    job_id = done.stdout.strip()
    world.wait(job_id)
    assert world.log(job_id) == "77\n0027\n"

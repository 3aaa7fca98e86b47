"""Time and memory: warned before, ended at the limit, measured always."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from l2_scheduler.local.shim.launch import Launch, warn_after_s
from l2_scheduler.local.shim.memory import locate_cgroup

HOG = "import time; x = bytearray({mib} << 20); x[::4096] = b'1' * len(x[::4096]); time.sleep(60)"


def test_time_limit(attempt):
    outcome = attempt("sleep", "60", time_limit_s=0.3).run()
    assert (outcome["state"], outcome["signal"]) == ("TIMEOUT", 15)
    assert outcome["reason"] == "the job reached its time limit of 0.3 s"
    assert outcome["elapsed_s"] >= 0.3


def test_warning_reaches_all_tasks_before_the_limit(attempt):
    script = "trap 'echo warned; exit 0' USR1; while :; do sleep 0.02; done"
    job = attempt("sh", "-c", script, tasks=2, time_limit_s=60.0, warn_signal="USR1", warn_before_s=59.0)
    assert job.run()["state"] == "COMPLETED"
    assert "warned\n" in job.log(0)
    assert "warned\n" in job.log(1)
    assert [event["event"] for event in job.events()] == ["started", "warned", "ended"]


@pytest.mark.parametrize(
    ("limit_s", "before_s", "name", "after_s"),
    [
        (100.0, 60.0, "USR1", 40.0),
        (100.0, 100.0, "USR1", 50.0),
        (100.0, 9.0, None, None),
        (None, 9.0, "USR1", None),
    ],
)
def test_when_the_warning_is_due(limit_s, before_s, name, after_s):
    fields = dict.fromkeys(Launch.__annotations__)
    launch = Launch(fields | {"time_limit_s": limit_s, "warn_before_s": before_s, "warn_signal": name})
    assert warn_after_s(launch) == after_s


def test_peak_memory_is_measured(attempt):
    script = HOG.format(mib=64).replace("time.sleep(60)", "")
    outcome = attempt(sys.executable, "-S", "-c", script).run()
    assert 64 << 20 <= outcome["peak_memory_bytes"] < 128 << 20


MEMBERSHIP = Path("/proc/self/cgroup").read_text()


@contextmanager
def own_cgroup(name: str, limit_bytes: int = 1 << 30) -> Iterator[None]:
    """Hold a memory cgroup of this name; skip the test where none may be made."""
    cgroup = locate_cgroup(MEMBERSHIP, name)
    try:
        if cgroup is None:
            raise PermissionError
        cgroup.make(limit_bytes)
    except PermissionError:
        pytest.skip("no memory cgroup may be made here")
    try:
        yield
    finally:
        cgroup.remove()


def cgroup_name(job) -> str:
    return f"ogai-12_3-1-{job.token[:8]}"


@pytest.mark.real
def test_memory_limit_kept_by_the_kernel(attempt):
    job = attempt(sys.executable, "-S", "-c", HOG.format(mib=200), memory_limit_bytes=64 << 20)
    with own_cgroup(f"ogai-probe-{job.token}"):
        outcome = job.run()
    assert outcome["state"] == "OUT_OF_MEMORY"
    assert outcome["reason"] == "the job reached its memory limit of 64 MiB"
    assert outcome["peak_memory_bytes"] >= 64 << 20
    with own_cgroup(cgroup_name(job)):
        """Its name is free again: the job's own is gone."""


@pytest.mark.real
def test_kill_of_a_grandchild_by_the_kernel_ends_the_job(attempt):
    script = f'{sys.executable} -S -c "{HOG.format(mib=200)}"; echo went on; exit 0'
    job = attempt("sh", "-c", script, memory_limit_bytes=64 << 20)
    with own_cgroup(f"ogai-probe-{job.token}"):
        assert job.run()["state"] == "OUT_OF_MEMORY"


@pytest.mark.real
def test_machine_out_of_memory_is_hinted_at(attempt):
    """The whole job, shim and all, in a cgroup too small for it is like a machine too small for it."""
    job = attempt(sys.executable, "-S", "-c", HOG.format(mib=200))
    name = f"ogai-machine-{job.token}"
    with own_cgroup(name, 64 << 20):
        job.start(through=f'echo $$ >{locate_cgroup(MEMBERSHIP, name).path}/cgroup.procs; exec "$@"')
        outcome = job.outcome()
    assert (outcome["state"], outcome["signal"]) == ("FAILED", 9)
    assert outcome["reason"].endswith("the kernel ended a process because this machine ran out of memory")


@pytest.fixture
def watched(attempt) -> Iterator[Callable[..., object]]:
    """Make attempts for which no cgroup can be made, as their names are taken."""
    with ExitStack() as stack:

        def make(*command: str, **fields: object) -> object:
            job = attempt(*command, **fields)
            cgroup = locate_cgroup(MEMBERSHIP, cgroup_name(job))
            if cgroup is not None:
                with suppress(PermissionError):
                    cgroup.make(1 << 30)
                    stack.callback(cgroup.remove)
            return job

        yield make


def test_memory_limit_kept_by_watching(watched):
    outcome = watched(sys.executable, "-S", "-c", HOG.format(mib=200), memory_limit_bytes=64 << 20).run()
    assert outcome["state"] == "OUT_OF_MEMORY"
    found = re.fullmatch(r"the job used (\d+) MiB of memory, its limit is 64 MiB", outcome["reason"])
    assert found
    assert 64 <= int(found[1]) < 260
    assert outcome["peak_memory_bytes"] >= 64 << 20


def test_who_eats_the_machine_s_memory_gets_no_grace(watched):
    deaf = "import signal; signal.signal(15, signal.SIG_IGN); " + HOG.format(mib=200)
    outcome = watched(sys.executable, "-S", "-c", deaf, memory_limit_bytes=64 << 20, grace_s=1000.0).run()
    assert (outcome["state"], outcome["signal"]) == ("OUT_OF_MEMORY", 9)


def test_shared_memory_is_not_counted_twice(watched):
    script = (
        "import os, time\n"
        "x = bytearray(60 << 20); x[::4096] = b'1' * len(x[::4096])\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0: time.sleep(0.9); os._exit(0)\n"
        "for _ in range(5): os.wait()\n"
    )
    outcome = watched(sys.executable, "-S", "-c", script, memory_limit_bytes=160 << 20).run()
    assert outcome["state"] == "COMPLETED"
    assert 60 << 20 <= outcome["peak_memory_bytes"] < 160 << 20


@pytest.mark.parametrize(
    ("membership", "path"),
    [
        ("5:devices:/\n4:memory:/box\n0::/\n", "/sys/fs/cgroup/memory/box/n"),
        ("4:cpu,memory:/\n", "/sys/fs/cgroup/memory/n"),
        ("4:cpu:/a\n", None),
    ],
)
def test_where_a_cgroup_goes(membership, path):
    cgroup = locate_cgroup(membership, "n")
    assert (cgroup.path if cgroup else None) == path

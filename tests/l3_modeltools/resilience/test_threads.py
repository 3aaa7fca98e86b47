"""The kernel tells a process that sleeps, works, is stopped or is gone."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from l3_modeltools.resilience.threads import ThreadState, parse_stat, probe_thread


@contextmanager
def running(code: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-S", "-c", f"print(flush=True); {code}"], stdout=-1) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def wait_for(pid: int, states: str) -> ThreadState:
    while (seen := probe_thread(pid)) is None or seen.state not in states:
        time.sleep(0.005)
    return seen


def test_a_sleeper_sleeps_and_a_stopped_one_is_stopped() -> None:
    with running("import time; time.sleep(600)") as process:
        wait_for(process.pid, "S")
        process.send_signal(signal.SIGSTOP)
        wait_for(process.pid, "T")


def test_a_worker_runs_and_uses_cpu() -> None:
    with running("\nwhile True: pass") as process:
        before = wait_for(process.pid, "R")
        while wait_for(process.pid, "R").cpu_s <= before.cpu_s:
            time.sleep(0.005)


def test_one_that_ended_is_a_zombie_and_then_gone() -> None:
    with running("") as process:
        wait_for(process.pid, "Z")
        process.wait()
        assert probe_thread(process.pid) is None


@pytest.mark.parametrize("name", ["python", "a b", "tricky) S 1 (", ")"])
def test_a_name_may_hold_anything(name: str) -> None:
    numbers = "1 2 3 4 5 6 7 8 9 10 250 50 13"
    assert parse_stat(f"42 ({name}) D {numbers}") == ThreadState(state="D", cpu_s=3.0)

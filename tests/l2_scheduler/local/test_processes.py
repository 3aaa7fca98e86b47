"""Signals reach the process that was meant, and nobody else."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from l2_scheduler.local.processes import descendants, identity_of, is_alive, marked, signal_identity
from l2_scheduler.local.shim.proc import pss_bytes, rss_bytes


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        ["sleep", "60"], env={"OGAI_TOKEN": f"test-{os.getpid()}", "PATH": os.environ["PATH"]}
    )
    yield process
    process.kill()
    process.wait()


def test_identity_lives_and_dies_with_its_process(sleeper):
    identity = identity_of(sleeper.pid)
    assert is_alive(identity)
    assert signal_identity(identity, signal.SIGKILL)
    sleeper.wait()
    assert not is_alive(identity)
    assert not signal_identity(identity, signal.SIGKILL)
    assert identity_of(sleeper.pid) is None


def test_zombie_is_not_alive(sleeper):
    identity = identity_of(sleeper.pid)
    sleeper.kill()
    until(lambda: not is_alive(identity))
    assert sleeper.returncode is None


@pytest.mark.parametrize("change", [{"start_ticks": 1}, {"boot_id": "another boot"}])
def test_another_process_with_the_same_pid_is_never_signalled(sleeper, change):
    stranger = msgspec.structs.replace(identity_of(sleeper.pid), **change)
    assert not is_alive(stranger)
    assert not signal_identity(stranger, signal.SIGKILL)
    assert sleeper.poll() is None


def test_main_thread_that_ended_leaves_a_living_process():
    script = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "print('up', flush=True)\n"
        "ctypes.CDLL(None).syscall(60, 0)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        until(lambda: state_of(process.pid) == "Z")
        assert is_alive(identity_of(process.pid))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_found_by_mark_and_by_descent(sleeper):
    identity = identity_of(sleeper.pid)
    assert marked(f"test-{os.getpid()}") == {identity}
    assert identity in descendants(os.getpid())
    assert not marked(f"test-{os.getpid()}0")


def test_memory_of_a_process():
    assert 0 < pss_bytes(os.getpid()) <= rss_bytes(os.getpid()) * 1.1
    assert rss_bytes(2**22 + 1) == 0

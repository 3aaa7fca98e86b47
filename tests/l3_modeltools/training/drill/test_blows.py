"""What a rank does to itself is what it says, for real, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from l3_modeltools.resilience.drill import Order

pytestmark = pytest.mark.real

MEMORY = Path("/sys/fs/cgroup/memory")


def struck(order: Order, *, timeout_s: float = 60.0) -> subprocess.CompletedProcess[str]:
    """Let a process do as ordered."""
    program = (
        "from l3_modeltools.resilience.drill import Order\n"
        "from l3_modeltools.training.drill.blows import strike\n"
        f"strike({order!r})\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("kill", -signal.SIGKILL),
        ("segv", -signal.SIGSEGV),
        ("exit", 17),
        ("crash", 1),
        ("hang", 0),
        ("spin", 0),
    ],
)
def test_a_process_ends_as_ordered(fault: str, code: int) -> None:
    order = Order(id=1, fault=fault, step=1, seconds=0.01, exit_code=17)  # type: ignore[arg-type]
    assert struck(order).returncode == code


def test_a_process_is_ended_by_the_kernel_for_want_of_memory_and_its_room_goes_with_it() -> None:
    if not os.access(MEMORY, os.W_OK):
        pytest.skip("no memory cgroup (v1) can be made here")
    assert struck(Order(id=1, fault="oom", step=1)).returncode == -signal.SIGKILL
    deadline = time.monotonic() + 30
    while rooms() and time.monotonic() < deadline:
        time.sleep(0.2)
    assert rooms() == []


def test_where_no_cgroup_can_be_made_the_allocator_fails() -> None:
    program = (
        "import torch\nfrom l3_modeltools.training.drill.memory import fail_to_allocate\nfail_to_allocate()"
    )
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "allocate memory" in done.stderr


def rooms() -> list[Path]:
    return list(MEMORY.rglob("ogai-drill-*"))

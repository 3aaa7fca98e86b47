"""What every test starts from."""

import gc
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# A shell starts background jobs (`make test &`) with SIGINT ignored, and every program started here would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No example of a property is timed: a busy machine is no fault.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Workers of pytest-xdist share the cores; where torch's threads outnumber them, they spin instead of working.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

gc.disable()  # while everything is imported: nothing of that is garbage


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Look for garbage from here on, but not among what was imported."""
    gc.freeze()
    gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """Run one worker more than there are cores: many tests wait for processes, deadlines and disks."""
    return len(os.sched_getaffinity(0)) + 1

"""What a rank does to itself: it dies, hangs or runs out of memory for real, and nothing outside it is harmed."""

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping

from l3_modeltools.resilience.drill import Blow, Order
from l3_modeltools.training.drill.memory import run_out_of_memory

__all__ = ["DrillError", "strike"]

LOST = "CUDA error: uncorrectable ECC error encountered (a drill)"
"""What a rank hears of a device whose memory is broken. The kernel's log is left alone: others act on what it says."""


class DrillError(RuntimeError):
    """What a rank raises because it was told to."""


def strike(order: Order) -> None:
    """Do what is ordered; comes back only from what has an end."""
    BLOWS[order.fault](order)


def _kill(order: Order) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _crash(order: Order) -> None:
    raise DrillError(f"raised on purpose, by order {order.id} of a drill")


def _exit(order: Order) -> None:
    sys.exit(order.exit_code)


def _segv(order: Order) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), signal.SIGSEGV)


def _hang(order: Order) -> None:
    while order.seconds is None:
        time.sleep(3600.0)
    time.sleep(order.seconds)


def _stop(order: Order) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def _spin(order: Order) -> None:
    end = None if order.seconds is None else time.monotonic() + order.seconds
    while end is None or time.monotonic() < end:
        pass


def _oom(order: Order) -> None:
    run_out_of_memory()


def _lose_device(order: Order) -> None:
    raise DrillError(LOST)


BLOWS: Mapping[Blow, Callable[[Order], None]] = {
    "kill": _kill,
    "crash": _crash,
    "exit": _exit,
    "segv": _segv,
    "hang": _hang,
    "stop": _stop,
    "spin": _spin,
    "oom": _oom,
    "device_lost": _lose_device,
}

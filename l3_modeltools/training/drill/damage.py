"""Damages the newest checkpoint of a run, then ends all ranks at once, so that the next start must find it."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from l3_modeltools.checkpoint import Shelf
from l3_modeltools.resilience.drill import Order, read_fired
from l3_modeltools.runs import RunLayout

__all__ = ["damage", "damage_and_die"]

TOGETHER_S = 30.0
"""How long a rank waits for the others to have come to the order too."""

FLIPPED = 64
"""Bytes that are flipped in each file of weights."""


def damage_and_die(
    order: Order, directory: Path, *, rank: int, ranks: int, forget: Callable[[], None]
) -> None:
    """Wait for all ranks, damage, drop this rank's copies in memory, and die.

    That all have come here before one dies keeps a survivor from leaving its state behind.
    """
    until = time.monotonic() + TOGETHER_S
    while time.monotonic() < until and len(_there(order, directory)) < ranks:
        time.sleep(0.01)
    if rank == 0:
        damage(directory)
    forget()
    os.kill(os.getpid(), signal.SIGKILL)


def damage(directory: Path) -> Path | None:
    """Flip bytes in the middle of every file of the newest sound checkpoint but its manifest, and return its place."""
    found, _ = Shelf(RunLayout(directory).checkpoints).newest_valid(verify="sizes")
    if found is None:
        return None
    for file in found.directory.glob("*.distcp"):
        _flip(file)
    return found.directory


def _there(order: Order, directory: Path) -> set[int]:
    return {fired.rank for fired in read_fired(directory) if fired.id == order.id}


def _flip(file: Path) -> None:
    """Flip bytes; size and names stay, so that only a hash can tell."""
    with file.open("r+b") as opened:
        at = max(0, file.stat().st_size // 2 - FLIPPED)
        opened.seek(at)
        content = opened.read(FLIPPED)
        opened.seek(at)
        opened.write(bytes(byte ^ 0xFF for byte in content))
        os.fsync(opened.fileno())

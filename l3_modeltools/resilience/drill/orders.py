"""What is to be broken in a run, one order a line, and which orders were carried out: files that only grow."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from l0_infra.core.documents import Count, Part, Positive, Seconds
from l0_infra.core.errors import DocumentError, Fault
from l0_infra.core.store import append_line
from l3_modeltools.runs import LineReader, RunLayout, decode_lines

__all__ = [
    "LASTING",
    "Blow",
    "Fired",
    "Moment",
    "Order",
    "append_order",
    "is_due",
    "moment_of",
    "note_fired",
    "read_fired",
    "read_orders",
    "withdraw_order",
]

Blow = Literal[
    "kill",
    "crash",
    "exit",
    "segv",
    "hang",
    "stop",
    "spin",
    "oom",
    "nan",
    "spike",
    "slow",
    "data_stall",
    "disk_full",
    "read_only",
    "disk_slow",
    "corrupt",
    "device_lost",
]
Moment = Literal["data", "forward", "save", "write"]
"""When in a step a rank does as ordered: it takes its batch, runs the model, begins a save, writes to the disk."""

MOVABLE = frozenset(("kill", "hang", "stop", "spin"))
"""What may be ordered at a moment of one's choice."""

FIXED: dict[Blow, Moment] = {
    "spike": "data",
    "data_stall": "data",
    "corrupt": "data",
    "disk_full": "write",
    "read_only": "write",
    "disk_slow": "write",
}
"""Moments of blows that cannot be moved, where it is not `forward`."""

LASTING = frozenset(("disk_full", "read_only", "disk_slow"))
"""What stays from its step on until its time is over or it is withdrawn."""


class Order(Part, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing that is to break: what, on which rank, in which step."""

    id: Annotated[
        Positive, Meta(description="Its number in the run, from 1; of several lines the last counts.")
    ]
    fault: Annotated[Blow, Meta(description="What the rank does to itself.")]
    rank: Annotated[Count | None, Meta(description="Rank; null: every one.")] = None
    step: Annotated[
        Positive, Meta(description="Step it happens in; what happens once waits for none missed.")
    ]
    where: Annotated[
        Literal["data", "forward", "save"], Meta(description="Moment of kill, hang, stop, spin.")
    ] = "forward"
    seconds: Annotated[
        Seconds | None,
        Meta(
            description="How long it lasts; null: for good, or until it is withdrawn. slow, disk_slow: each wait."
        ),
    ] = None
    steps: Annotated[Positive, Meta(description="slow: in how many steps.")] = 1
    often: Annotated[
        Literal["once", "always"], Meta(description="`always`: again whenever the step is computed again.")
    ] = "once"
    exit_code: Annotated[Annotated[int, Meta(ge=0, le=255)], Meta(description="Of `exit`.")] = 1
    withdrawn: Annotated[bool, Meta(description="Whether it no longer holds.")] = False

    def faults(self) -> Iterator[Fault]:
        """Yield a moment for what has its own, and a slowness of no length."""
        if self.where != "forward" and self.fault not in MOVABLE:
            expected = "none but `forward`: only kill, hang, stop and spin have a moment of choice"
            yield Fault(path=("where",), found=f"`{self.where}` of {self.fault}", expected=expected)
        if self.fault in ("slow", "data_stall", "disk_slow") and self.seconds is None:
            yield Fault(path=("seconds",), found="none", expected=f"how long {self.fault} makes one wait")


class Fired(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An order that was carried out: one line of `drills-fired.jsonl`, written before it happens."""

    id: int
    rank: int
    step: int
    at: float
    """In seconds since the epoch."""
    text: str = ""
    """How, where there is more than one way."""


def moment_of(order: Order) -> Moment:
    """Say at which moment of its step an order is carried out."""
    return order.where if order.fault in MOVABLE else FIXED.get(order.fault, "forward")


def is_due(order: Order, *, rank: int, step: int, fired_at: float | None, now: float) -> bool:
    """Say whether `rank` has to carry out an order in `step`; `fired_at` is when it first did, None: never.

    What happens once happens in its step or, if that was missed, in the next one; what is tied to a step (`always`,
    slow) in that step alone; what lasts from its step on until its time is over.
    """
    if order.withdrawn or order.rank not in (None, rank):
        return False
    if order.fault in LASTING:
        return step >= order.step and not _is_over(order, fired_at, now)
    if order.fault == "slow":
        return order.step <= step < order.step + order.steps
    if order.often == "always":
        return step == order.step
    return step >= order.step and fired_at is None


def _is_over(order: Order, fired_at: float | None, now: float) -> bool:
    """Say whether the time of a lasting order has passed; that of disk_slow is the length of each wait."""
    timed = order.seconds is not None and order.fault != "disk_slow"
    return timed and fired_at is not None and now >= fired_at + (order.seconds or 0.0)


def append_order(directory: Path, order: Order) -> Order:
    """Give the run in `directory` an order under the next free number, and return it so; several processes may.

    Raises DocumentError for an order that makes no sense, OSError.
    """
    if faults := list(order.faults()):
        raise DocumentError("order of a drill", faults)
    with _alone(directory):
        number = max((known.id for known in read_orders(directory)), default=0) + 1
        numbered = msgspec.structs.replace(order, id=number)
        _append(directory, numbered)
    return numbered


def withdraw_order(directory: Path, order: Order) -> None:
    """Take an order back: from now on it does not hold. Raises OSError."""
    _append(directory, msgspec.structs.replace(order, withdrawn=True))


def read_orders(directory: Path) -> tuple[Order, ...]:
    """Read the orders of the run in `directory` by number, withdrawn ones too.

    Lines that were cut off and orders that make no sense are passed over.
    """
    last: dict[int, Order] = {}
    for order in decode_lines(LineReader(RunLayout(directory).drills).read(), Order):
        if not any(order.faults()):
            last[order.id] = order
    return tuple(last[number] for number in sorted(last))


def note_fired(directory: Path, fired: Fired) -> None:
    """Note durably that an order is being carried out, so that no restart does it again. Raises OSError."""
    file = RunLayout(directory).drills_fired
    append_line(file, msgspec.json.encode(fired).decode())
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_fired(directory: Path) -> tuple[Fired, ...]:
    """Read what was carried out in the run in `directory`, in order."""
    return tuple(decode_lines(LineReader(RunLayout(directory).drills_fired).read(), Fired))


def _append(directory: Path, order: Order) -> None:
    append_line(RunLayout(directory).drills, msgspec.json.encode(order).decode())


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    descriptor = os.open(RunLayout(directory).drills, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

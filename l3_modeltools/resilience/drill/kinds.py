"""What can be drilled: what each kind does to a run, what it may cost, and what the run should call it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from l3_modeltools.resilience.drill.orders import Order
from l3_modeltools.schemas import FaultClass

__all__ = ["DRILL_KINDS", "Kind", "Trouble"]

Trouble = Literal[
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
    "data",
    "disk",
    "read-only",
    "slow-disk",
    "corrupt",
    "device",
]
"""What a person calls a kind of drill."""

ONE_STEP = "the step it happens in is done again"
NOTHING = "nothing"


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """One kind of drill."""

    does: str
    """What is done, after the words "rank 1" or "every rank"."""
    costs: str
    """What can be lost."""
    expected: frozenset[FaultClass]
    """Classes that are right."""
    order: Order
    """Its order, but for number, rank, step, moment and length."""
    restarts: bool
    """Whether the ranks start anew, which spends the run's budget."""
    ranks: Literal["one", "all"] = "one"
    moments: tuple[Literal["data", "forward", "save"], ...] = ("forward",)
    """Those of choice."""
    needs: Literal["nothing", "save", "checkpoint", "history"] = "nothing"
    """What it waits for: the next save; a checkpoint; as many steps as it takes to know what is normal."""
    patience_s: float = 60.0
    """How long to wait until it is noticed."""
    patience_steps: float = 20.0
    """How many median steps longer."""


HISTORY = 40
"""Steps after which a run knows its normal loss and speed."""

DRILL_KINDS: Mapping[Trouble, Kind] = {
    "kill": Kind(
        does="ends itself by SIGKILL",
        costs=ONE_STEP,
        expected=frozenset(("killed",)),
        restarts=True,
        moments=("data", "forward", "save"),
        order=Order(id=1, step=1, fault="kill"),
    ),
    "crash": Kind(
        does="raises an exception in its forward pass",
        costs=ONE_STEP,
        expected=frozenset(("crash",)),
        restarts=True,
        order=Order(id=1, step=1, fault="crash"),
    ),
    "exit": Kind(
        does="exits with code 17",
        costs=ONE_STEP,
        expected=frozenset(("crash",)),
        restarts=True,
        order=Order(id=1, step=1, fault="exit", exit_code=17),
    ),
    "segv": Kind(
        does="ends itself by SIGSEGV",
        costs=ONE_STEP,
        expected=frozenset(("crash",)),
        restarts=True,
        order=Order(id=1, step=1, fault="segv"),
    ),
    "hang": Kind(
        does="sleeps for good",
        costs=ONE_STEP,
        expected=frozenset(("hang", "data_stall")),
        restarts=True,
        moments=("data", "forward"),
        order=Order(id=1, step=1, fault="hang"),
    ),
    "stop": Kind(
        does="stops itself by SIGSTOP",
        costs=ONE_STEP,
        expected=frozenset(("hang", "data_stall")),
        restarts=True,
        moments=("data", "forward"),
        order=Order(id=1, step=1, fault="stop"),
    ),
    "spin": Kind(
        does="computes for good without getting on",
        costs=ONE_STEP,
        expected=frozenset(("hang",)),
        restarts=True,
        patience_s=120.0,
        order=Order(id=1, step=1, fault="spin"),
    ),
    "oom": Kind(
        does="takes memory until it gets none, within a limit of its own; the machine keeps its memory",
        costs=ONE_STEP,
        expected=frozenset(("killed", "crash")),
        restarts=True,
        order=Order(id=1, step=1, fault="oom"),
    ),
    "nan": Kind(
        does="gets one NaN into its forward pass, once",
        costs=f"{NOTHING}: the step is computed again before any weight changes",
        expected=frozenset(("not_finite",)),
        restarts=False,
        order=Order(id=1, step=1, fault="nan"),
    ),
    "spike": Kind(
        does="gets garbage in the place of one batch",
        costs="what the policy `on_spike` says: with `report` the garbage is learnt, with the others it is left out",
        expected=frozenset(("spike",)),
        restarts=False,
        ranks="all",
        needs="history",
        order=Order(id=1, step=1, fault="spike", often="always"),
    ),
    "slow": Kind(
        does="waits in each of 80 steps for as long as a step takes",
        costs=f"{NOTHING} but time",
        expected=frozenset(("straggler",)),
        restarts=False,
        needs="history",
        patience_steps=200.0,
        order=Order(id=1, step=1, fault="slow", steps=80),
    ),
    "data": Kind(
        does="gets one batch late",
        costs=f"{NOTHING} but time",
        expected=frozenset(("data_stall",)),
        restarts=True,
        needs="history",
        order=Order(id=1, step=1, fault="data_stall"),
    ),
    "disk": Kind(
        does="finds the disk full at the next save, until it was noticed",
        costs="the oldest checkpoints, as far as the policy lets them go, and the time until there is room",
        expected=frozenset(("storage_full",)),
        restarts=False,
        ranks="all",
        needs="save",
        order=Order(id=1, step=1, fault="disk_full"),
    ),
    "read-only": Kind(
        does="finds the disk read-only at the next save, until it was noticed",
        costs=f"{NOTHING} but time",
        expected=frozenset(("storage_read_only",)),
        restarts=False,
        ranks="all",
        needs="save",
        order=Order(id=1, step=1, fault="read_only"),
    ),
    "slow-disk": Kind(
        does="writes slowly, until it was noticed",
        costs=f"{NOTHING} but time",
        expected=frozenset(("storage_slow",)),
        restarts=False,
        ranks="all",
        needs="save",
        order=Order(id=1, step=1, fault="disk_slow"),
    ),
    "corrupt": Kind(
        does="dies at once after the newest checkpoint was damaged and the copies in memory were dropped",
        costs="all since the checkpoint before the newest; the newest is set aside",
        expected=frozenset(("checkpoint_damaged",)),
        restarts=True,
        ranks="all",
        needs="checkpoint",
        order=Order(id=1, step=1, fault="corrupt"),
    ),
    "device": Kind(
        does="crashes as if its accelerator were lost; a line of the kernel log says so where that is permitted",
        costs=ONE_STEP,
        expected=frozenset(("device_lost",)),
        restarts=True,
        order=Order(id=1, step=1, fault="device_lost"),
    ),
}

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
    "bad-batch",
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

Loss = Literal["nothing", "step", "interval", "two_intervals"]
"""How many steps may have to be done again."""

LOSSES: Mapping[Loss, str] = {
    "nothing": "no step is done again",
    "step": "at most one step is done again",
    "interval": "all steps since the newest checkpoint are done again",
    "two_intervals": "all steps since the checkpoint before the newest are done again",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """One kind of drill."""

    does: str
    """What is done, after the words "rank 1" or "every rank"."""
    loses: Loss
    """What can have to be done again."""
    remark: str = ""
    """What else it can cost."""
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

    @property
    def costs(self) -> str:
        """Say what can be lost."""
        return "; ".join(filter(None, [LOSSES[self.loses], self.remark]))

    def redone_at_most(self, interval: int) -> int:
        """Return how many steps may be done again, where state is saved every `interval` steps."""
        save_under_way = 1
        return {
            "nothing": 0,
            "step": 1,
            "interval": interval * (1 + save_under_way),
            "two_intervals": interval * (2 + save_under_way),
        }[self.loses]


HISTORY = 40
"""Steps after which a run knows its normal loss and speed."""

DRILL_KINDS: Mapping[Trouble, Kind] = {
    "kill": Kind(
        does="ends itself by SIGKILL",
        loses="step",
        expected=frozenset(("killed",)),
        restarts=True,
        moments=("data", "forward", "save"),
        order=Order(id=1, step=1, fault="kill"),
    ),
    "crash": Kind(
        does="raises an exception in its forward pass",
        loses="step",
        expected=frozenset(("crash",)),
        restarts=True,
        order=Order(id=1, step=1, fault="crash"),
    ),
    "exit": Kind(
        does="exits with code 17",
        loses="step",
        expected=frozenset(("crash",)),
        restarts=True,
        order=Order(id=1, step=1, fault="exit", exit_code=17),
    ),
    "segv": Kind(
        does="ends itself by SIGSEGV",
        loses="step",
        expected=frozenset(("crash",)),
        restarts=True,
        order=Order(id=1, step=1, fault="segv"),
    ),
    "hang": Kind(
        does="sleeps for good",
        loses="step",
        expected=frozenset(("hang", "data_stall")),
        restarts=True,
        moments=("data", "forward"),
        order=Order(id=1, step=1, fault="hang"),
    ),
    "stop": Kind(
        does="stops itself by SIGSTOP",
        loses="step",
        expected=frozenset(("hang", "data_stall")),
        restarts=True,
        moments=("data", "forward"),
        order=Order(id=1, step=1, fault="stop"),
    ),
    "spin": Kind(
        does="computes for good without getting on",
        loses="step",
        expected=frozenset(("hang",)),
        restarts=True,
        patience_s=120.0,
        order=Order(id=1, step=1, fault="spin"),
    ),
    "oom": Kind(
        does="takes memory until it gets none, within a limit of its own; the machine keeps its memory",
        loses="step",
        expected=frozenset(("killed", "crash")),
        restarts=True,
        order=Order(id=1, step=1, fault="oom"),
    ),
    "nan": Kind(
        does="gets one NaN into its forward pass, once",
        loses="nothing",
        remark="the step is computed again before any weight changes",
        expected=frozenset(("not_finite",)),
        restarts=False,
        order=Order(id=1, step=1, fault="nan"),
    ),
    "bad-batch": Kind(
        does="gets a NaN into its forward pass whenever it computes one batch",
        loses="nothing",
        remark="with the policy `on_not_finite: give_up` the run ends; with `skip_batches` the batch is left out",
        expected=frozenset(("not_finite",)),
        restarts=False,
        order=Order(id=1, step=1, fault="nan", often="always"),
    ),
    "spike": Kind(
        does="gets garbage in the place of one batch",
        loses="nothing",
        remark="the policy `on_spike` says more: with `report` the garbage is learnt, with `roll_back` all go back",
        expected=frozenset(("spike",)),
        restarts=False,
        ranks="all",
        needs="history",
        order=Order(id=1, step=1, fault="spike", often="always"),
    ),
    "slow": Kind(
        does="waits in each of 80 steps for as long as a step takes",
        loses="nothing",
        expected=frozenset(("straggler",)),
        restarts=False,
        needs="history",
        patience_steps=200.0,
        order=Order(id=1, step=1, fault="slow", steps=80),
    ),
    "data": Kind(
        does="gets one batch late",
        loses="step",
        expected=frozenset(("data_stall",)),
        restarts=True,
        needs="history",
        order=Order(id=1, step=1, fault="data_stall"),
    ),
    "disk": Kind(
        does="finds the disk full at the next save, until it was noticed",
        loses="nothing",
        remark="the oldest checkpoints may go, as far as the policy lets them",
        expected=frozenset(("storage_full",)),
        restarts=False,
        ranks="all",
        needs="save",
        order=Order(id=1, step=1, fault="disk_full"),
    ),
    "read-only": Kind(
        does="finds the disk read-only at the next save, until it was noticed",
        loses="nothing",
        expected=frozenset(("storage_read_only",)),
        restarts=False,
        ranks="all",
        needs="save",
        order=Order(id=1, step=1, fault="read_only"),
    ),
    "slow-disk": Kind(
        does="writes slowly, until it was noticed",
        loses="nothing",
        expected=frozenset(("storage_slow",)),
        restarts=False,
        ranks="all",
        needs="save",
        order=Order(id=1, step=1, fault="disk_slow"),
    ),
    "corrupt": Kind(
        does="dies at once after the newest checkpoint was damaged and the copies in memory were dropped",
        loses="two_intervals",
        remark="the newest checkpoint is set aside",
        expected=frozenset(("checkpoint_damaged",)),
        restarts=True,
        ranks="all",
        needs="checkpoint",
        order=Order(id=1, step=1, fault="corrupt"),
    ),
    "device": Kind(
        does="crashes as if its accelerator were lost",
        loses="interval",
        expected=frozenset(("device_lost",)),
        restarts=True,
        remark="the job starts anew, so what was kept in memory is gone",
        order=Order(id=1, step=1, fault="device_lost"),
    ),
}

"""What can be drilled: what each kind does to a run, what it may cost, and what the run should call it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from l3_modeltools.resilience.drill.orders import Blow, Order
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
    blow: Blow
    """What each rank that it concerns is ordered to do to itself."""
    expected: tuple[FaultClass, ...]
    """Classes that are right."""
    loses: Loss = "step"
    """What can have to be done again."""
    remark: str = ""
    """What else it can cost."""
    ranks: Literal["one", "all"] = "one"
    moments: tuple[Literal["data", "forward", "save"], ...] = ("forward",)
    """Those of choice."""
    needs: Literal["nothing", "save", "checkpoint", "history"] = "nothing"
    """What it waits for: the next save; a checkpoint; as many steps as it takes to know what is normal."""
    steps: int = 1
    often: Literal["once", "always"] = "once"
    exit_code: int = 1
    """As these are in an order."""
    patience_s: float = 60.0
    """How long to wait until it is noticed."""
    patience_steps: float = 20.0
    """How many median steps longer."""

    @property
    def order(self) -> Order:
        """Its order, but for number, rank, step, moment and length."""
        return Order(
            id=1, step=1, fault=self.blow, steps=self.steps, often=self.often, exit_code=self.exit_code
        )

    @property
    def restarts(self) -> bool:
        """Whether the ranks start anew, which spends the run's budget and alone can cost steps."""
        return self.loses != "nothing"

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
        does="ends itself by SIGKILL", blow="kill", expected=("killed",), moments=("data", "forward", "save")
    ),
    "crash": Kind(does="raises an exception in its forward pass", blow="crash", expected=("crash",)),
    "exit": Kind(does="exits with code 17", blow="exit", expected=("crash",), exit_code=17),
    "segv": Kind(does="ends itself by SIGSEGV", blow="segv", expected=("crash",)),
    "hang": Kind(
        does="sleeps for good", blow="hang", expected=("hang", "data_stall"), moments=("data", "forward")
    ),
    "stop": Kind(
        does="stops itself by SIGSTOP",
        blow="stop",
        expected=("hang", "data_stall"),
        moments=("data", "forward"),
    ),
    "spin": Kind(
        does="computes for good without getting on", blow="spin", expected=("hang",), patience_s=120.0
    ),
    "oom": Kind(
        does="takes memory until it gets none, within a limit of its own; the machine keeps its memory",
        blow="oom",
        expected=("killed", "crash"),
    ),
    "nan": Kind(
        does="gets one NaN into its forward pass, once",
        blow="nan",
        loses="nothing",
        remark="the step is computed again before any weight changes",
        expected=("not_finite",),
    ),
    "bad-batch": Kind(
        does="gets a NaN into its forward pass whenever it computes one batch",
        blow="nan",
        loses="nothing",
        remark="with the policy `on_not_finite: give_up` the run ends; with `skip_batches` the batch is left out",
        expected=("not_finite",),
        often="always",
    ),
    "spike": Kind(
        does="gets garbage in the place of one batch",
        blow="spike",
        loses="nothing",
        remark="the policy `on_spike` says more: with `report` the garbage is learnt, with `roll_back` all go back",
        expected=("spike",),
        ranks="all",
        needs="history",
        often="always",
    ),
    "slow": Kind(
        does="waits in each of 80 steps for as long as a step takes",
        blow="slow",
        loses="nothing",
        expected=("straggler",),
        needs="history",
        patience_steps=200.0,
        steps=80,
    ),
    "data": Kind(does="gets one batch late", blow="data_stall", expected=("data_stall",), needs="history"),
    "disk": Kind(
        does="finds the disk full at the next save, until it was noticed",
        blow="disk_full",
        loses="nothing",
        remark="the oldest checkpoints may go, as far as the policy lets them",
        expected=("storage_full",),
        ranks="all",
        needs="save",
    ),
    "read-only": Kind(
        does="finds the disk read-only at the next save, until it was noticed",
        blow="read_only",
        loses="nothing",
        expected=("storage_read_only",),
        ranks="all",
        needs="save",
    ),
    "slow-disk": Kind(
        does="writes slowly, until it was noticed",
        blow="disk_slow",
        loses="nothing",
        expected=("storage_slow",),
        ranks="all",
        needs="save",
    ),
    "corrupt": Kind(
        does="dies at once after the newest checkpoint was damaged and the copies in memory were dropped",
        blow="corrupt",
        loses="two_intervals",
        remark="the newest checkpoint is set aside",
        expected=("checkpoint_damaged",),
        ranks="all",
        needs="checkpoint",
    ),
    "device": Kind(
        does="crashes as if its accelerator were lost",
        blow="device_lost",
        loses="interval",
        expected=("device_lost",),
        remark="the job starts anew, so what was kept in memory is gone",
    ),
}

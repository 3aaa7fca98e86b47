"""Carries out the orders of one rank, each noted durably before it happens."""

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from torch import nn

from l3_modeltools.data import Batch, PairBatch
from l3_modeltools.resilience.drill import (
    Fired,
    Moment,
    Order,
    is_due,
    moment_of,
    note_fired,
    read_fired,
    read_orders,
)
from l3_modeltools.training.drill.blows import strike
from l3_modeltools.training.drill.damage import damage_and_die
from l3_modeltools.training.drill.poison import garbage, poisoned
from l3_modeltools.training.objectives import Loss, Objective

__all__ = ["Desk"]

DISK_ERRORS = {"disk_full": errno.ENOSPC, "read_only": errno.EROFS}


class Desk:
    """What is ordered of this rank, and what it did already; several threads may ask."""

    def __init__(self, directory: Path, *, rank: int, ranks: int, forget: Callable[[], None]) -> None:
        self.directory, self.rank, self.ranks, self.forget = directory, rank, ranks, forget
        self.orders: tuple[Order, ...] = ()
        self.fired = {one.id: one.at for one in reversed(read_fired(directory)) if one.rank == rank}
        self.lagged = 0
        """Last step that a slowness held up."""
        self.slept = True
        """Whether a slow disk has held up this save already."""
        self.lock = threading.Lock()

    def read(self) -> None:
        """Read the orders anew."""
        self.orders = read_orders(self.directory)

    def take_batches(self, step: int, batches: Sequence[Batch | PairBatch]) -> Sequence[Batch | PairBatch]:
        """Return the micro batches of a step, after what is ordered for this moment."""
        for order in self._due("data", step):
            match order.fault:
                case "spike":
                    batches = [garbage(batch, seed=order.id * 1_000_003 + step) for batch in batches]
                case "data_stall":
                    time.sleep(order.seconds or 0.0)
                case "corrupt":
                    damage_and_die(
                        order, self.directory, rank=self.rank, ranks=self.ranks, forget=self.forget
                    )
                case _:
                    strike(order)
        return batches

    def forward(self, step: int, objective: Objective, model: nn.Module, batch: Batch | PairBatch) -> Loss:
        """Run the model over a batch, after what is ordered for this moment."""
        poison = False
        for order in self._due("forward", step):
            match order.fault:
                case "nan":
                    poison = True
                case "slow":
                    self._lag(step, order.seconds or 0.0)
                case _:
                    strike(order)
        return poisoned(objective, model, batch) if poison else objective.loss(model, batch)

    def begin_save(self) -> None:
        """A save begins: a slow disk holds it up anew."""
        self.slept = False

    def save(self, step: int) -> None:
        """Do what is ordered for a save, once it runs in the background."""
        for order in self._due("save", step):
            strike(order)

    def write(self, step: int) -> None:
        """Do what is ordered for a write to the disk. Raises OSError."""
        for order in self._due("write", step):
            if order.fault == "disk_slow":
                self._hold_up(order.seconds or 0.0)
            else:
                number = DISK_ERRORS[order.fault]
                raise OSError(number, os.strerror(number))

    def _due(self, moment: Moment, step: int) -> Iterator[Order]:
        """Yield what is to be done now, each noted before."""
        for order in self.orders:
            if moment_of(order) == moment and self._takes(order, step):
                yield order

    def _takes(self, order: Order, step: int) -> bool:
        with self.lock:
            now, fired_at = time.time(), self.fired.get(order.id)
            if not is_due(order, rank=self.rank, step=step, fired_at=fired_at, now=now):
                return False
            if fired_at is None:
                note_fired(self.directory, Fired(id=order.id, rank=self.rank, step=step, at=now))
                self.fired[order.id] = now
            return True

    def _lag(self, step: int, seconds: float) -> None:
        """Wait once a step, however many micro batches it has."""
        if step != self.lagged:
            self.lagged = step
            time.sleep(seconds)

    def _hold_up(self, seconds: float) -> None:
        """Wait once a save, however many writes it has."""
        if not self.slept:
            self.slept = True
            time.sleep(seconds)

"""Stands between a rank's loop and its batches, its objective and its saves, and looks whether something is ordered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from l3_modeltools.runs import RunLayout

if TYPE_CHECKING:
    from torch import nn

    from l3_modeltools.data import Batch, PairBatch
    from l3_modeltools.training.drill.desk import Desk
    from l3_modeltools.training.loop import Save
    from l3_modeltools.training.objectives import Loss, Objective

__all__ = ["Drills"]

Step = tuple[int, "Sequence[Batch | PairBatch]"]


class Drills:
    """The drills of one rank; `forget` drops the copies of its state that are kept in memory.

    Without a file of orders a step costs one look for it, and nothing else of drills is imported.
    """

    def __init__(self, directory: Path, *, rank: int, ranks: int, forget: Callable[[], None]) -> None:
        self._directory, self._rank, self._ranks, self._forget = directory, rank, ranks, forget
        self._file = RunLayout(directory).drills
        self._seen: tuple[int, int] | None = None
        self._desk: Desk | None = None
        self.step = 0

    def batches(self, batches: Iterator[Step]) -> Iterator[Step]:
        """Yield the micro batches of each step, after what is ordered for the moment a rank takes them."""
        for step, micro_batches in batches:
            self.step = step
            desk = self.look()
            yield step, micro_batches if desk is None else desk.take_batches(step, micro_batches)

    def objective(self, objective: Objective) -> Objective:
        """Return the objective with what is ordered for a forward pass."""
        return DrilledObjective(objective, self)

    def save(self, save: Save) -> Save:
        """Return what saves with what is ordered for a save."""
        return DrilledSave(save, self)

    def before_write(self) -> None:
        """Do what is ordered for a write to the disk: raises OSError as a disk would. Called by any thread."""
        desk = self.look()
        if desk is not None:
            desk.write(self.step)

    def look(self) -> Desk | None:
        """Return what carries orders out; None where there never was one."""
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return self._desk
        seen = (found.st_mtime_ns, found.st_size)
        if seen != self._seen:
            from l3_modeltools.training.drill.desk import Desk

            self._seen = seen
            if self._desk is None:
                self._desk = Desk(self._directory, rank=self._rank, ranks=self._ranks, forget=self._forget)
            self._desk.read()
        return self._desk

    @property
    def desk(self) -> Desk | None:
        """What carries orders out, as of the last look."""
        return self._desk


@dataclass(frozen=True, slots=True)
class DrilledObjective:
    """An objective whose forward passes may be disturbed."""

    inner: Objective
    drills: Drills

    @property
    def reference(self) -> nn.Module | None:
        return self.inner.reference

    def count(self, batch: Batch | PairBatch) -> int:
        return self.inner.count(batch)

    def loss(self, model: nn.Module, batch: Batch | PairBatch) -> Loss:
        desk, step = self.drills.desk, self.drills.step
        if desk is None or step == 0:
            return self.inner.loss(model, batch)
        return desk.forward(step, self.inner, model, batch)


@dataclass(frozen=True, slots=True)
class DrilledSave:
    """What saves; a save that was begun may be disturbed."""

    inner: Save
    drills: Drills

    @property
    def has_failed(self) -> bool:
        return self.inner.has_failed

    def save(self, *, step: int, tokens: int) -> bool:
        desk = self.drills.look()
        if desk is not None:
            desk.begin_save()
        saved = self.inner.save(step=step, tokens=tokens)
        if desk is not None:
            desk.save(step)
        return saved

    def finish(self, *, step: int, tokens: int) -> bool:
        return self.inner.finish(step=step, tokens=tokens)

    def look(self) -> None:
        self.inner.look()

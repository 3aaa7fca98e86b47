"""Which storages are alive, how large they are and what they are for: a rank's memory as its tensors make it.

`torch.distributed._tools.mem_tracker` has the same idea, but is private, tells modules apart rather than purposes, and
knows FSDP's states only; what is needed of it fits here.
"""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import get_args

import torch

from l3_modeltools.training.dryrun.report import Purpose, TensorBytes

__all__ = ["Course", "Ledger"]


@dataclass(slots=True)
class Entry:
    """A storage; moments are counted by the ledger's clock."""

    size: int
    purpose: Purpose
    born: int
    died: int | None = None
    settled: bool = False
    """Whether its purpose will not change any more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """What an action did to the memory: at its fullest moment, and in the end, each beyond what was there before."""

    peak: TensorBytes
    left: TensorBytes


class Ledger:
    """Counts the bytes of storages from their first tensor to the end of their last one.

    A storage is told apart by its Python object, which torch keeps as long as the storage lives; so it works for fake
    tensors, which have no memory, as for real ones.
    """

    def __init__(self) -> None:
        self._entries: dict[int, Entry] = {}
        self._ended: list[Entry] = []
        self._clock = 0
        self._bytes = 0
        self._peak, self._peak_at = 0, 0
        self._purpose: Purpose = "other"
        self._lasting = False
        self._depth = 0

    @property
    def bytes(self) -> int:
        """All bytes that are alive."""
        return self._bytes

    def see(self, tensor: torch.Tensor) -> None:
        """Note the storage of a tensor unless it is known."""
        storage = tensor.untyped_storage()
        key = id(storage)
        if key in self._entries:
            return
        size = storage.nbytes()
        if size:
            weakref.finalize(storage, partial(self._end, key)).atexit = False
            self._enter(key, size)

    def resize(self, tensor: torch.Tensor, size: int) -> None:
        """Give a tensor's storage another size, in bytes, as FSDP frees weights and takes room for them again.

        The storage must have been seen; where it grows it gets the purpose that counts now.
        """
        storage = tensor.untyped_storage()
        self._end(id(storage))
        storage.resize_(size)
        if size:
            self._enter(id(storage), size)

    def name(self, tensor: torch.Tensor, purpose: Purpose) -> None:
        """Say what a storage that is there is for."""
        entry = self._entries.get(id(tensor.untyped_storage()))
        if entry is not None:
            entry.purpose, entry.settled = purpose, True

    @contextmanager
    def purpose(self, purpose: Purpose, *, lasting: bool = True) -> Iterator[None]:
        """Give storages that are made within this purpose.

        Unless it is lasting, those that outlive their action become activations.
        """
        before = self.switch(purpose, lasting=lasting)
        try:
            yield
        finally:
            self.switch(before[0], lasting=before[1])

    def switch(self, purpose: Purpose, *, lasting: bool) -> tuple[Purpose, bool]:
        """Give storages this purpose from now on; return what they had before. For passes that end elsewhere."""
        before = self._purpose, self._lasting
        self._purpose, self._lasting = purpose, lasting
        return before

    @contextmanager
    def forward(self) -> Iterator[None]:
        """Enter a forward pass, or one computed again: what is left of the outermost one is kept for its backward."""
        began, self._depth = self._clock, self._depth + 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self._keep(began)

    def action(self) -> "Action":
        """Begin an action; its course is told when it ends."""
        return Action(self)

    def _keep(self, began: int) -> None:
        """What was made since and still lives is kept."""
        for entry in reversed(self._entries.values()):
            if entry.born <= began:
                break
            if not entry.settled:
                entry.settled = True
                entry.purpose = "activations"

    def _tick(self) -> int:
        self._clock += 1
        return self._clock

    def _enter(self, key: int, size: int) -> None:
        self._entries[key] = Entry(size, self._purpose, self._tick(), settled=self._lasting)
        self._bytes += size
        if self._bytes > self._peak:
            self._peak, self._peak_at = self._bytes, self._clock

    def _end(self, key: int) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            entry.died = self._tick()
            self._bytes -= entry.size
            self._ended.append(entry)

    def sums(self, moment: int | None = None) -> TensorBytes:
        """Bytes by purpose now, or at an earlier moment of the present action."""
        totals: dict[Purpose, int] = dict.fromkeys(get_args(Purpose), 0)
        for entry in self._entries.values():
            if moment is None or entry.born <= moment:
                totals[entry.purpose] += entry.size
        for entry in self._ended if moment is not None else ():
            if moment is not None and entry.born <= moment < (entry.died or 0):
                totals[entry.purpose] += entry.size
        return TensorBytes(**totals)

    def _begin(self) -> None:
        self._ended.clear()
        self._tick()
        self._peak, self._peak_at = self._bytes, self._clock

    def _fullest(self) -> TensorBytes:
        return self.sums(self._peak_at)


class Action:
    """One action of a step while it goes on; `course` is there once it has ended."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._course: Course | None = None

    @property
    def course(self) -> Course:
        """What it did. Raises RuntimeError while it goes on."""
        if self._course is None:
            raise RuntimeError("the action has not ended")
        return self._course

    def __enter__(self) -> "Action":
        self._ledger._begin()
        self._began = self._ledger._clock
        self._before = self._ledger.sums()
        return self

    def __exit__(self, *_: object) -> None:
        self._ledger._keep(self._began)
        peak, left = self._ledger._fullest(), self._ledger.sums()
        self._course = Course(peak=peak - self._before, left=left - self._before)

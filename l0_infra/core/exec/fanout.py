"""Do the same work for many nodes at once, where one that hangs must cost the others nothing."""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from l0_infra.core.errors import RemoteError, UsageError
from l0_infra.core.exec.scope import ends_with

__all__ = ["Result", "fan_out"]

Item = TypeVar("Item")
Value = TypeVar("Value")

_TICK_S = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class Result(Generic[Item, Value]):
    """What came of one item: a value or the error that stopped it; `elapsed_s` since its own start."""

    item: Item
    value: Value | None = None
    error: Exception | None = None
    elapsed_s: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the work was done."""
        return self.error is None


@dataclass(slots=True)
class _Task(Generic[Item, Value]):
    index: int
    item: Item
    work: Callable[[Item], Value]
    ending: threading.Event = field(default_factory=threading.Event)
    started: float = 0.0

    def do(self) -> Result[Item, Value]:
        with ends_with(self.ending):
            try:
                value = self.work(self.item)
            except Exception as error:  # noqa: BLE001  # the boundary of one node: its failure is its result
                return Result(item=self.item, error=error, elapsed_s=self.elapsed_s())
        return Result(item=self.item, value=value, elapsed_s=self.elapsed_s())

    def elapsed_s(self) -> float:
        return time.monotonic() - self.started

    def too_late(self, deadline_s: float) -> Result[Item, Value]:
        error = RemoteError(
            str(self.item),
            found=f"no answer after {deadline_s:g} s",
            expected="an end of the work",
            retry=True,
        )
        return Result(item=self.item, error=error, elapsed_s=self.elapsed_s())


def fan_out(
    items: Sequence[Item],
    work: Callable[[Item], Value],
    *,
    limit: int = 64,
    deadline_s: float | None = None,
    on_done: Callable[[Result[Item, Value]], None] | None = None,
) -> tuple[Result[Item, Value], ...]:
    """Call `work` for every item, at most `limit` at once, and return the results in the order of the items.

    An item that takes longer than `deadline_s` from its own start gets an error, its commands are told to
    end, and its place goes to the next item whether or not its thread ever returns. On Ctrl-C (or any
    exception in the caller's thread, where `on_done` runs too) all running commands are told to end and the
    call leaves at once.
    """
    if limit < 1:
        raise UsageError("fan_out", found=f"limit={limit}", expected="at least 1")
    return _Fan(items, work, limit, deadline_s, on_done).run()


class _Fan(Generic[Item, Value]):
    def __init__(
        self,
        items: Sequence[Item],
        work: Callable[[Item], Value],
        limit: int,
        deadline_s: float | None,
        on_done: Callable[[Result[Item, Value]], None] | None,
    ) -> None:
        self._waiting = [_Task(index, item, work) for index, item in enumerate(items)][::-1]
        self._limit = limit
        self._deadline_s = deadline_s
        self._on_done = on_done
        self._running: dict[int, _Task[Item, Value]] = {}
        self._results: dict[int, Result[Item, Value]] = {}
        self._done: queue.SimpleQueue[tuple[int, Result[Item, Value]]] = queue.SimpleQueue()

    def run(self) -> tuple[Result[Item, Value], ...]:
        try:
            while self._waiting or self._running:
                self._start_next()
                self._take_done()
                self._drop_late()
        finally:
            for task in self._running.values():
                task.ending.set()
        return tuple(self._results[index] for index in sorted(self._results))

    def _start_next(self) -> None:
        while self._waiting and len(self._running) < self._limit:
            task = self._waiting.pop()
            task.started = time.monotonic()
            self._running[task.index] = task
            threading.Thread(target=copy_context().run, args=(self._serve, task), daemon=True).start()

    def _serve(self, task: _Task[Item, Value]) -> None:
        self._done.put((task.index, task.do()))

    def _take_done(self) -> None:
        try:
            index, result = self._done.get(timeout=self._next_wait_s())
        except queue.Empty:
            return
        if index in self._running:
            self._settle(index, result)

    def _drop_late(self) -> None:
        if self._deadline_s is None:
            return
        for task in [task for task in self._running.values() if task.elapsed_s() >= self._deadline_s]:
            task.ending.set()
            self._settle(task.index, task.too_late(self._deadline_s))

    def _next_wait_s(self) -> float:
        if self._deadline_s is None:
            return _TICK_S
        return max(
            0.0, min(_TICK_S, *(self._deadline_s - task.elapsed_s() for task in self._running.values()))
        )

    def _settle(self, index: int, result: Result[Item, Value]) -> None:
        del self._running[index]
        self._results[index] = result
        if self._on_done is not None:
            self._on_done(result)

"""Batches, made ready by a thread while the step before is computed."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from l3_modeltools.data import Batch, PairBatch

__all__ = ["Feed"]


class Feed:
    """This rank's micro batches of any step; asking for step s makes s + 1 ready meanwhile."""

    def __init__(self, load: Callable[[int, range], Batch | PairBatch], rows: Sequence[range]) -> None:
        self.load = load
        self.rows = rows
        self.ahead: dict[int, Future[list[Batch | PairBatch]]] = {}
        self.thread = ThreadPoolExecutor(1, "feed")

    def take(self, step: int) -> list[Batch | PairBatch]:
        """Return the micro batches of a step."""
        now = self.ahead.pop(step, None) or self._begin(step)
        self.ahead = {step + 1: self._begin(step + 1)}
        return now.result()

    def close(self) -> None:
        """Let the thread end."""
        self.thread.shutdown(wait=True, cancel_futures=True)

    def _begin(self, step: int) -> Future[list[Batch | PairBatch]]:
        return self.thread.submit(lambda: [self.load(step, rows) for rows in self.rows])

"""A thread reads the batches of the next steps while this one is trained on."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from l3_modeltools.data.batch import Batch, PairBatch
from l3_modeltools.data.loader import Loader

__all__ = ["Prefetch"]

Step = tuple[int, tuple[Batch | PairBatch, ...]]


class Prefetch:
    """Yields `(step, micro batches)`, one micro batch for each of `rows`, and reads up to `depth` steps ahead.

    What comes is the same at any depth. A failure to read is raised when its step is asked for. Use it as a context,
    so that its thread ends.
    """

    def __init__(
        self, loader: Loader, steps: Iterable[int], rows: Sequence[range], *, depth: int = 2
    ) -> None:
        self._loader = loader
        self._steps = iter(steps)
        self._rows = tuple(rows)
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="prefetch")
        self._read: deque[Future[Step]] = deque()
        for _ in range(depth):
            self._ask()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    def __iter__(self) -> Iterator[Step]:
        return self

    def __next__(self) -> Step:
        self._ask()
        if not self._read:
            raise StopIteration
        return self._read.popleft().result()

    def _ask(self) -> None:
        step = next(self._steps, None)
        if step is not None:
            self._read.append(self._pool.submit(self._batches, step))

    def _batches(self, step: int) -> Step:
        return step, tuple(self._loader.batch(step, rows) for rows in self._rows)

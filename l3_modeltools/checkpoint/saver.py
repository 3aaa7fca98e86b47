"""Saves a training's state beside the training: the loop waits for a copy in memory, never for the disk."""

import contextlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, time
from types import TracebackType
from typing import Self, cast

import torch
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.staging import DefaultStager, StagingOptions
from torch.distributed.checkpoint.state_dict_saver import save

from l3_modeltools.checkpoint.alone import accept_one_process
from l3_modeltools.checkpoint.ranks import Ranks
from l3_modeltools.checkpoint.share import State, share_of, state_bytes
from l3_modeltools.checkpoint.shelf import Shelf
from l3_modeltools.checkpoint.trouble import StorageError, cause_of
from l3_modeltools.checkpoint.writer import PublishingWriter, nothing
from l3_modeltools.schemas import Checkpoint, Checkpointing, HashedFile

__all__ = ["Blocked", "Saver"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocked:
    """How long a save held the loop up: for the save before to end, and to copy the state."""

    waiting_s: float
    staging_s: float

    @property
    def seconds(self) -> float:
        """Both together."""
        return self.waiting_s + self.staging_s


@dataclass(frozen=True, kw_only=True, slots=True)
class SavePoint:
    """The point of the training whose state is saved."""

    step: int
    tokens: int
    saved_at: float
    state_bytes: int


class Saver:
    """Saves one run's state on its shelf, one save at a time, in a thread of each rank.

    Every rank makes one and calls the same methods in the same order. A failure of a save in the background, on
    whatever rank, is raised on every rank by the next `save`, `wait` or `close`: StorageError when the disk or the
    budget has no room; earlier checkpoints are then as they were, and the next `save` tries again. `on_saved` is
    called by the first rank, from its thread, as soon as a checkpoint is whole, `before_write` by each rank, from its
    own, before each write: what it raises counts as the disk's. Until `close` the copies stay in
    memory, to be used again: the state of this rank's shards and its share of the rest.
    """

    def __init__(
        self,
        shelf: Shelf,
        *,
        run: str,
        architecture_sha256: str,
        keep: Checkpointing,
        on_saved: Callable[[Checkpoint], None] | None = None,
        before_write: Callable[[], None] = nothing,
    ) -> None:
        accept_one_process()
        self.shelf, self.run, self.architecture_sha256 = shelf, run, architecture_sha256
        self.keep, self.on_saved, self.before_write = keep, on_saved, before_write
        self.ranks = Ranks()
        self.claimed = contextlib.ExitStack()
        self.ranks.agree(self._claim)
        self.stager = DefaultStager(_staging())
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
        self.pending: Future[None] | None = None
        self.blocked = Blocked(waiting_s=0.0, staging_s=0.0)
        """How long the save begun last held the loop up."""
        self.began = 0.0
        """When it went on in the background, by `perf_counter`."""
        self.took: list[float] = []
        """Seconds that each save took in the background so far."""

    @property
    def is_saving(self) -> bool:
        """Whether a save runs in the background."""
        return self.pending is not None and not self.pending.done()

    @property
    def has_failed(self) -> bool:
        """Whether the next `save` or `wait` is going to raise at once."""
        return self.pending is not None and self.pending.done() and self.pending.exception() is not None

    def save(self, state: State, *, step: int, tokens: int) -> Blocked:
        """Save `state` as it is now; it may be changed as soon as this returns.

        Waits for the save before, should it still run. A sound checkpoint of this step that is there already stays.
        """
        begun = perf_counter()
        self.wait()
        waited = perf_counter()
        share = share_of(state, rank=self.ranks.rank, world_size=self.ranks.world_size)
        copy = cast(State, self.stager.stage(share))
        size_bytes = state_bytes(state, self.ranks.world_size)
        moment = SavePoint(step=step, tokens=tokens, saved_at=time(), state_bytes=size_bytes)
        self.began = perf_counter()
        self.blocked = Blocked(waiting_s=waited - begun, staging_s=self.began - waited)
        self.pending = self.thread.submit(self._write, copy, moment)
        return self.blocked

    def wait(self) -> None:
        """Wait until the save in the background is done, and raise its failure."""
        pending, self.pending = self.pending, None
        if pending is not None:
            pending.result()

    def close(self) -> None:
        """Wait as `wait` does, then let go of memory, group and shelf."""
        try:
            self.wait()
        finally:
            self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._release()

    def _release(self) -> None:
        self.thread.shutdown()
        self.stager.close()
        self.claimed.close()
        self.ranks.part()

    def _claim(self) -> None:
        self.shelf.prepare()
        self.claimed.enter_context(self.shelf.claim())
        self.shelf.sweep()

    def _write(self, copy: State, moment: SavePoint) -> None:
        self._save(copy, moment)
        self.took.append(perf_counter() - self.began)

    def _save(self, copy: State, moment: SavePoint) -> None:
        there = self.ranks.agree(partial(self._make_way, moment))
        if there is not None:
            self._tell(there)
            return
        writer = PublishingWriter(
            self.shelf.workplace(moment.step),
            partial(self._publish, moment),
            before_write=self.before_write,
        )
        group = self.ranks.group
        try:
            save(dict(copy), storage_writer=writer, process_group=group, no_dist=group is None)
        except CheckpointException as error:
            if self.ranks.is_first:
                with contextlib.suppress(OSError):
                    self.shelf.sweep()
            raise _cause(error, self.shelf.directory) from error

    def _make_way(self, moment: SavePoint) -> Checkpoint | None:
        return self.shelf.make_way(
            moment.step,
            needed_bytes=moment.state_bytes,
            keep=self.keep,
            run=self.run,
            architecture_sha256=self.architecture_sha256,
        )

    def _publish(self, moment: SavePoint, files: tuple[HashedFile, ...]) -> None:
        manifest = Checkpoint(
            run=self.run,
            architecture_sha256=self.architecture_sha256,
            step=moment.step,
            tokens=moment.tokens,
            world_size=self.ranks.world_size,
            saved_at=moment.saved_at,
            files=files,
        )
        self.shelf.publish(manifest)
        self._tell(manifest)
        self.shelf.prune(manifest, self.keep)

    def _tell(self, manifest: Checkpoint) -> None:
        if self.on_saved is not None and self.ranks.is_first:
            self.on_saved(manifest)


def _staging() -> StagingOptions:
    """Copy at once, into memory that an accelerator reaches directly where there is one."""
    return StagingOptions(
        use_pinned_memory=torch.cuda.is_available(),
        use_shared_memory=False,
        use_async_staging=False,
        use_non_blocking_copy=torch.accelerator.is_available(),
    )


def _cause(error: CheckpointException, directory: Path) -> BaseException:
    """Name what failed first, in words where it was the disk; what is left is a defect and told as it is."""
    rank, (cause, _) = min(error.failures.items())
    if not isinstance(cause, OSError):
        return cause
    return StorageError(
        str(directory),
        found=f"{(cause.strerror or str(cause)).lower()}, on rank {rank}",
        expected="a disk that takes the checkpoint",
        hint="earlier checkpoints are as they were; `ogai checkpoint list` shows them",
        cause=cause_of(cause),
    )

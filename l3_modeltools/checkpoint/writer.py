"""Writes a rank's part of a checkpoint, hashing each byte on its way to the disk, and lets the first rank publish."""

import hashlib
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from torch.distributed.checkpoint.filesystem import FileSystem, FileSystemWriter
from torch.distributed.checkpoint.metadata import Metadata, MetadataIndex
from torch.distributed.checkpoint.planner import SavePlan, SavePlanner
from torch.distributed.checkpoint.storage import WriteResult
from torch.futures import Future
from typing_extensions import Buffer

from l3_modeltools.schemas import HashedFile

__all__ = ["PublishingWriter", "nothing"]

FILE = "file "
"""Begins the index of a result that tells of a file; no name in a state begins so."""


def nothing() -> None:
    """Do nothing before a write."""


class PublishingWriter(FileSystemWriter):
    """Writes into `workplace`; once all ranks have, the first calls `publish` with every file.

    Hashes travel with the results of the writes: a rank that fails, wherever, keeps `publish` from being called.
    `before_write` is called before each write and may raise what a disk would.
    """

    def __init__(
        self,
        workplace: Path,
        publish: Callable[[tuple[HashedFile, ...]], None],
        *,
        before_write: Callable[[], None] = nothing,
    ) -> None:
        super().__init__(workplace, overwrite=False)
        self.fs = self.files = HashingFileSystem(before_write)
        self.publish = publish

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Write this rank's items, then add a result for each file. Raises OSError as the disk does."""
        try:
            written = super().write_data(plan, planner).value()
        except RuntimeError as error:
            # What a write raises is followed, and hidden, by a complaint that the archive has no end.
            raise _disk_error(error) or error from None
        done: Future[list[WriteResult]] = Future()
        done.set_result([*written, *map(_result, self.files.written())])
        return done

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Write the index, on the first rank, then publish."""
        files = {one.storage_data.name: one.storage_data for part in results for one in part if _is_file(one)}
        super().finish(metadata, [[one for one in part if not _is_file(one)] for part in results])
        own = {file.name: file for file in self.files.written()}
        self.publish(tuple((files | own).values()))


class HashingFileSystem(FileSystem):
    """Files whose content is hashed while it is written, each from its begin to its end."""

    def __init__(self, before_write: Callable[[], None]) -> None:
        self.streams: dict[str, HashingStream] = {}
        self.before_write = before_write

    @contextmanager
    def create_stream(self, path: str | os.PathLike[str], mode: str) -> Iterator[io.IOBase]:
        """Open a file to be written; not buffered, so that fsync finds every byte handed over."""
        with Path(path).open(mode, buffering=0) as raw:
            stream = HashingStream(cast(IO[bytes], raw), self.before_write)
            self.streams[Path(path).name] = stream
            yield stream

    def rename(self, path: str | os.PathLike[str], new_path: str | os.PathLike[str]) -> None:
        """Rename a file; its hash goes with it."""
        super().rename(path, new_path)
        self.streams[Path(new_path).name] = self.streams.pop(Path(path).name)

    def written(self) -> tuple[HashedFile, ...]:
        """Tell of every file written."""
        return tuple(
            HashedFile(name=name, size_bytes=stream.size_bytes, sha256=stream.hash.hexdigest())
            for name, stream in self.streams.items()
        )


class HashingStream(io.RawIOBase):
    """Hands on what is written and hashes it."""

    def __init__(self, raw: IO[bytes], before_write: Callable[[], None]) -> None:
        self.raw = raw
        self.before_write = before_write
        self.hash = hashlib.sha256()
        self.size_bytes = 0

    def write(self, data: Buffer) -> int:
        """Write all of it: a raw file may take less at once."""
        self.before_write()
        view = memoryview(data).cast("B")
        self.hash.update(view)
        self.size_bytes += len(view)
        rest = view
        while rest:
            rest = rest[self.raw.write(rest) :]
        return len(view)

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.size_bytes

    def fileno(self) -> int:
        return self.raw.fileno()


def _disk_error(error: BaseException) -> OSError | None:
    """Find what the disk said among what `error` was raised after."""
    before = error.__context__
    return before if before is None or isinstance(before, OSError) else _disk_error(before)


def _result(file: HashedFile) -> WriteResult:
    index = MetadataIndex(FILE + file.name)
    return WriteResult(index=index, size_in_bytes=file.size_bytes, storage_data=file)


def _is_file(result: WriteResult) -> bool:
    return result.index.fqn.startswith(FILE)

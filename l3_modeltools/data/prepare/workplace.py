"""Where the files of an unfinished prepare lie, and how one is written so that it is whole or absent."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from l0_infra.core.errors import UnhealthyError
from l3_modeltools.data.dataset import MANIFEST
from l3_modeltools.data.prepare.origin import Origin
from l3_modeltools.data.prepare.verdicts import SCANNED

__all__ = ["Encoded", "Scanned", "Workplace", "whole_files"]


class Scanned(msgspec.Struct, frozen=True, kw_only=True):
    """What reading a part gave: how many documents, the bytes of those worth keeping, the first troubles."""

    documents: int
    size_bytes: int
    notes: tuple[str, ...] = ()


class Encoded(msgspec.Struct, frozen=True, kw_only=True):
    """What encoding a part gave."""

    documents: int
    tokens: int


Note = TypeVar("Note", Scanned, Encoded)


class Workplace:
    """The folder beside a data set in which it comes into being: what is done, and what is known of each part."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.work = directory / "work"
        self.tokenizer = directory / "tokenizer"
        self.manifest = directory / MANIFEST
        self.origin = directory / "origin.json"
        self.verdicts = self.work / "verdicts"

    def load_origin(self) -> Origin:
        """Read what the data set is made from. Raises OSError, UnhealthyError when the note of it is damaged."""
        try:
            return msgspec.json.decode(self.origin.read_bytes(), type=Origin)
        except msgspec.DecodeError as error:
            raise UnhealthyError(
                str(self.origin),
                found=str(error),
                expected="what the data set was made from",
                hint="prepare it again with --replace",
            ) from error

    def rows(self, part: int) -> Path:
        """The file of what is known of each document of a part."""
        return self.work / f"{part:05}.rows"

    def signatures(self, part: int) -> Path:
        """The file of MinHashes, a row for each document of a part."""
        return self.work / f"{part:05}.signatures"

    def scanned(self, part: int) -> Path:
        """The note that a part was read; written after its other files."""
        return self.work / f"{part:05}.scanned.json"

    def tokens(self, part: int) -> Path:
        """The file of the tokens of a part's documents."""
        return self.work / f"{part:05}.tokens"

    def lengths(self, part: int) -> Path:
        """The file of the number of tokens of each document kept."""
        return self.work / f"{part:05}.lengths"

    def mask(self, part: int) -> Path:
        """The file that has a byte for each token: 1 where it is learnt."""
        return self.work / f"{part:05}.mask"

    def encoded(self, part: int) -> Path:
        """The note that a part was encoded; written after its other files."""
        return self.work / f"{part:05}.encoded.json"

    def load_rows(self, part: int) -> npt.NDArray[np.void]:
        """Read what is known of the documents of a part."""
        return np.fromfile(self.rows(part), dtype=SCANNED)

    def load_verdicts(self, first: int, documents: int) -> npt.NDArray[np.uint8]:
        """Read what was decided of documents, counted over the corpus from `first` on."""
        return np.fromfile(self.verdicts, dtype=np.uint8, count=documents, offset=first)

    def noted(self, path: Path, kind: type[Note]) -> Note | None:
        """Read a note, if there is one."""
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except FileNotFoundError:
            return None


@contextmanager
def whole_files(*paths: Path) -> Iterator[tuple[BinaryIO, ...]]:
    """Write files that get their names, on the disk, when the context ends well; else they are removed."""
    partial = [path.with_name(f"{path.name}.partial") for path in paths]
    try:
        with ExitStack() as stack:
            files = tuple(stack.enter_context(path.open("wb")) for path in partial)
            yield files
            for file in files:
                file.flush()
                os.fsync(file.fileno())
        for source, target in zip(partial, paths, strict=True):
            source.rename(target)
    except BaseException:
        for path in partial:
            path.unlink(missing_ok=True)
        raise

"""A prepared data set as a program reads it: its manifest, and each split as one long stream of tokens."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from l0_infra.core.documents import read_document, unknown
from l0_infra.core.errors import UnsatisfiableError, describe_os_error
from l3_modeltools.data.indexed import IndexedReader, Tokens, map_file
from l3_modeltools.schemas import Dataset, DataShard, HashedFile

__all__ = ["MANIFEST", "PreparedDataset", "Shard", "Split", "SplitName", "find_dataset", "open_dataset"]

SplitName = Literal["train", "validation"]
Mask = npt.NDArray[np.uint8]
MANIFEST = "dataset.json"
"""File of the `dataset` document, written last."""

PREPARE = "`ogai data prepare FILE` makes one"


class Shard:
    """One shard, mapped into memory."""

    def __init__(self, directory: Path, shard: DataShard) -> None:
        for file in filter(None, (shard.bin, shard.idx, shard.mask)):
            check_size(directory / file.name, file)
        self.reader = IndexedReader(directory / shard.bin.name.removesuffix(".bin"))
        self._mask = map_file(directory / shard.mask.name) if shard.mask else None
        found = (self.reader.documents, self.reader.tokens)
        if found != (shard.documents, shard.tokens):
            raise other_file(
                self.reader.idx_path,
                "{} documents and {} tokens".format(*found),
                f"{shard.documents} and {shard.tokens}",
            )
        if self._mask is not None and self._mask.size != shard.tokens:
            raise other_file(directory, f"a mask of {self._mask.size}", f"{shard.tokens}, one for each token")

    def mask(self, document: int) -> Mask:
        """Return 1 for each token of a document that is learnt from, else 0."""
        start, stop = self.reader.bounds(document)
        return np.ones(stop - start, dtype=np.uint8) if self._mask is None else self._mask[start:stop]


class Split:
    """All shards of one split, one after the other."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self._shards = tuple(shards)
        self._stored = [shard.reader.stored for shard in shards]
        self._token_begins = [0, *accumulate(shard.reader.tokens for shard in shards)]
        self._document_begins = [0, *accumulate(shard.reader.documents for shard in shards)]

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return self._token_begins[-1]

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return self._document_begins[-1]

    def window(self, start: int, stop: int) -> npt.NDArray[np.int64]:
        """Return a copy of the tokens from `start` to `stop`, across documents and shards."""
        target = np.empty(max(0, stop - start), dtype=np.int64)
        self.read_into(target, start)
        return target

    def read_into(self, target: npt.NDArray[np.int64], start: int) -> None:
        """Fill `target` (length,) with the tokens from `start` on. Raises IndexError where there are fewer."""
        size = target.size
        if start < 0 or start + size > self._token_begins[-1]:
            raise IndexError(f"tokens {start} to {start + size} of {self.tokens}")
        if not size:
            return
        number = bisect_right(self._token_begins, start) - 1
        start -= self._token_begins[number]
        piece = self._stored[number][start : start + size]
        if piece.size == size:
            target[:] = piece
        else:
            target[: piece.size] = piece
            self.read_into(target[piece.size :], self._token_begins[number + 1])

    def document(self, index: int) -> Tokens:
        """Return the tokens of one document, without copying. Raises IndexError when there is none."""
        shard, within = self._place_of(index)
        return shard.reader.document(within)

    def mask(self, index: int) -> Mask:
        """Return 1 for each token of a document that is learnt from, else 0; all 1 where none are marked."""
        shard, within = self._place_of(index)
        return shard.mask(within)

    def _place_of(self, document: int) -> tuple[Shard, int]:
        if not 0 <= document < self.documents:
            raise IndexError(f"document {document} of {self.documents}")
        number = bisect_right(self._document_begins, document) - 1
        return self._shards[number], document - self._document_begins[number]


class PreparedDataset:
    """A manifest, and the store beside it."""

    def __init__(self, manifest: Dataset, directory: Path) -> None:
        self.manifest = manifest
        self.directory = directory
        self._train = Split(list(open_shards(manifest, directory, "train")))
        self._validation = Split(list(open_shards(manifest, directory, "validation")))

    @property
    def fingerprint(self) -> bytes:
        """Tell the training split by its content, wherever it lies and whatever it is called."""
        shards = [shard for shard in self.manifest.shards if shard.split == "train"]
        hashes = [file.sha256 for shard in shards for file in (shard.bin, shard.idx)]
        return blake2b(" ".join(hashes).encode(), digest_size=32).digest()

    def split(self, name: SplitName) -> Split:
        """Return a split; one that was not prepared has no tokens."""
        return self._train if name == "train" else self._validation


def open_dataset(manifest: Path) -> PreparedDataset:
    """Open a prepared data set by the path of its manifest.

    Raises DocumentError for a bad manifest, UnsatisfiableError where a file is absent, damaged, or of another size
    than the manifest says; contents are not hashed.
    """
    return PreparedDataset(read_document(manifest, expect=Dataset), manifest.parent)


def find_dataset(reference: str, *, home: Path, base: Path) -> Path:
    """Return the manifest that a reference means: a name in `home`, or a path (its directory will do) from `base`.

    What has a `/` or ends in `.json` is a path. Raises UnsatisfiableError, with the nearest name, when there is none.
    """
    try:
        return _manifest_at(reference, home, base)
    except (OSError, RuntimeError) as error:  # a folder closed to us, a name too long; a `~` of nobody
        found = describe_os_error(error) if isinstance(error, OSError) else str(error).lower()
        raise UnsatisfiableError(
            f"data set `{reference}`", found=found, expected="a name or a path", hint=PREPARE
        ) from error


def _manifest_at(reference: str, home: Path, base: Path) -> Path:
    if "/" in reference or reference.endswith(".json"):
        path = base / Path(reference).expanduser()
        manifest = path / MANIFEST if path.is_dir() else path
        if not manifest.is_file():
            raise UnsatisfiableError(str(manifest), found="no such file", expected="a manifest", hint=PREPARE)
        return manifest
    shelf = home / "datasets"
    manifest = shelf / reference / MANIFEST
    if not manifest.is_file():
        known = sorted(path.parent.name for path in shelf.glob(f"[!.]*/{MANIFEST}"))
        hint = next((fault.hint for fault in unknown((), reference, known, what="")), "")
        raise UnsatisfiableError(
            str(shelf),
            found=f"no data set `{reference}`",
            expected="a prepared one: " + (", ".join(known) or "there is none"),
            hint="; ".join(filter(None, (hint, PREPARE))),
        )
    return manifest


def open_shards(manifest: Dataset, directory: Path, split: SplitName) -> Iterator[Shard]:
    """Open the shards of one split, in order."""
    return (Shard(directory, shard) for shard in manifest.shards if shard.split == split)


def check_size(path: Path, file: HashedFile) -> None:
    """Raise UnsatisfiableError unless a file is there and as long as the manifest says."""
    if not path.is_file():
        raise other_file(path, "no such file", f"{file.size_bytes} bytes")
    if (size := path.stat().st_size) != file.size_bytes:
        raise other_file(path, f"{size} bytes", f"{file.size_bytes}, as the manifest says")


def other_file(path: Path, found: str, expected: str) -> UnsatisfiableError:
    """Say that a file is not the one of the manifest."""
    hint = "it was changed or copied in part: prepare the data again, or copy it anew"
    return UnsatisfiableError(str(path), found=found, expected=expected, hint=hint)

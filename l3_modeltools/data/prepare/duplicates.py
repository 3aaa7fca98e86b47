"""Repetitions are found by sorting hashes that were spread over files, so that memory does not grow with the corpus."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from l3_modeltools.data.prepare.verdicts import DocumentVerdict
from l3_modeltools.data.prepare.workplace import Scanned, Workplace
from l3_modeltools.schemas import Deduplication, NearDuplicates

__all__ = ["decide_duplicates", "first_documents"]

BUCKET_BYTES = 2**24
"""About what one bucket is to hold; it is sorted in memory."""

ROWS_AT_ONCE = 2**15
MOST_COMPARED = 256
"""Unlike documents of one band that a further one is compared with: bounds what a strange corpus can cost."""

HASHED = np.dtype([("high", "<u8"), ("low", "<u8"), ("document", "<u8")])

Rows = npt.NDArray[np.void]


def first_documents(scanned: tuple[Scanned, ...]) -> list[int]:
    """Return the number of each part's first document, counted over the corpus, and at the end of all."""
    return [0, *accumulate(part.documents for part in scanned)]


def decide_duplicates(
    place: Workplace, scanned: tuple[Scanned, ...], wanted: Deduplication, report: Callable[[int], None]
) -> None:
    """Write a verdict for each document of the corpus: what its scan said, or that an earlier one is like it.

    `report` is told of each part that was looked at. Which document comes first does not depend on who read it.
    """
    firsts = first_documents(scanned)
    partial = place.verdicts.with_name("verdicts.partial")
    with partial.open("wb") as file:
        for part in range(len(scanned)):
            file.write(place.load_rows(part)["verdict"].tobytes())
    if firsts[-1]:
        verdicts = np.memmap(partial, dtype=np.uint8, mode="r+")
        if wanted.exact:
            _drop_exact(place, firsts, verdicts, report)
        if wanted.near:
            _drop_near(place, firsts, verdicts, wanted.near, report)
        verdicts.flush()
        del verdicts
    partial.rename(place.verdicts)


def _drop_exact(
    place: Workplace, firsts: list[int], verdicts: npt.NDArray[np.uint8], report: Callable[[int], None]
) -> None:
    with Buckets(place.work / "exact", records=firsts[-1]) as buckets:
        for part, (first, _) in enumerate(pairwise(firsts)):
            rows = place.load_rows(part)
            kept = np.flatnonzero(rows["verdict"] == DocumentVerdict.KEPT)
            hashed = np.empty(kept.size, dtype=HASHED)
            hashed["high"], hashed["low"] = rows["high"][kept], rows["low"][kept]
            hashed["document"] = kept + first
            buckets.spread(hashed)
            report(part)
        for rows in buckets.sorted():
            same = (rows["high"][1:] == rows["high"][:-1]) & (rows["low"][1:] == rows["low"][:-1])
            verdicts[rows["document"][1:][same].astype(np.int64)] = DocumentVerdict.EXACT_DUPLICATE


def _drop_near(
    place: Workplace,
    firsts: list[int],
    verdicts: npt.NDArray[np.uint8],
    wanted: NearDuplicates,
    report: Callable[[int], None],
) -> None:
    from l3_modeltools.data.prepare.near import band_keys

    store = SignatureStore(place, firsts, wanted.permutations)
    bands = band_keys(np.zeros((1, wanted.permutations), dtype=np.uint32), wanted.threshold).shape[1]
    with Buckets(place.work / "near", records=firsts[-1] * bands) as buckets:
        for part, (first, last) in enumerate(pairwise(firsts)):
            for start in range(first, last, ROWS_AT_ONCE):
                signatures = store.load(part, start - first, min(ROWS_AT_ONCE, last - start))
                kept = (verdicts[start : start + len(signatures)] == DocumentVerdict.KEPT) & signatures.any(
                    axis=1
                )
                documents = np.flatnonzero(kept)
                keys = band_keys(signatures[documents], wanted.threshold)
                hashed = np.zeros(keys.size, dtype=HASHED)
                hashed["high"] = keys.ravel()
                hashed["document"] = np.repeat(documents + start, bands)
                buckets.spread(hashed)
            report(part)
        for rows in buckets.sorted():
            for group in _groups(rows):
                _drop_like_ones(group, store, verdicts, wanted.threshold)


def _groups(rows: Rows) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the documents that share a key, those of two or more."""
    starts = np.flatnonzero(np.append(True, rows["high"][1:] != rows["high"][:-1]))
    ends = np.append(starts[1:], len(rows))
    for index in np.flatnonzero(ends - starts > 1):
        yield rows["document"][starts[index] : ends[index]].astype(np.int64)


def _drop_like_ones(
    group: npt.NDArray[np.int64],
    store: "SignatureStore",
    verdicts: npt.NDArray[np.uint8],
    threshold: float,
) -> None:
    """Drop each of a group that is like an earlier one of it; those already dropped are passed over."""
    from l3_modeltools.data.prepare.near import likeness

    earlier = np.empty((0, store.permutations), dtype=np.uint32)
    for document in group:
        if verdicts[document] != DocumentVerdict.KEPT:
            continue
        signature = store.one(int(document))
        if len(earlier) and likeness(signature, earlier).max() >= threshold:
            verdicts[document] = DocumentVerdict.NEAR_DUPLICATE
        elif len(earlier) < MOST_COMPARED:
            earlier = np.vstack([earlier, signature])


@dataclass(frozen=True, slots=True)
class SignatureStore:
    """The MinHashes of all documents, read where they lie."""

    place: Workplace
    firsts: list[int]
    permutations: int

    def load(self, part: int, start: int, count: int) -> npt.NDArray[np.uint32]:
        """Read `count` signatures of a part from its document `start` on."""
        offset = start * self.permutations * 4
        path = self.place.signatures(part)
        flat = np.fromfile(path, dtype="<u4", count=count * self.permutations, offset=offset)
        return flat.reshape(-1, self.permutations)

    def one(self, document: int) -> npt.NDArray[np.uint32]:
        """Read the signature of one document, counted over the corpus."""
        part = int(np.searchsorted(self.firsts, document, side="right")) - 1
        signature: npt.NDArray[np.uint32] = self.load(part, document - self.firsts[part], 1)[0]
        return signature


class Buckets:
    """A folder of files over which records are spread by their hash; each file is then sorted alone."""

    def __init__(self, directory: Path, *, records: int) -> None:
        self.directory = directory
        self.count = max(1, records * HASHED.itemsize // BUCKET_BYTES)

    def __enter__(self) -> "Buckets":
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)

    def spread(self, records: Rows) -> None:
        """Append records, each to the bucket of its hash; those of earlier calls stay before them."""
        if not len(records):
            return
        bucket = (records["high"] % np.uint64(self.count)).astype(np.int64)
        order = np.argsort(bucket, kind="stable")
        ends = np.cumsum(np.bincount(bucket, minlength=self.count))
        for number, some in enumerate(np.split(records[order], ends[:-1])):
            if len(some):
                with self._path(number).open("ab") as file:
                    file.write(some.tobytes())

    def sorted(self) -> Iterator[Rows]:
        """Yield the records of each bucket, equal hashes beside each other, earlier documents first."""
        for number in range(self.count):
            if self._path(number).exists():
                rows = np.fromfile(self._path(number), dtype=HASHED)
                yield rows[np.lexsort((rows["document"], rows["low"], rows["high"]))]

    def _path(self, number: int) -> Path:
        return self.directory / f"{number:05}"

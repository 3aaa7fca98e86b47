"""A data set as a person looks at it: how long its documents are, and the first of them as text again."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from l0_infra.core.errors import UnhealthyError
from l3_modeltools.data.dataset import MANIFEST
from l3_modeltools.data.indexed import IndexedReader
from l3_modeltools.data.prepare.publish import load_manifest
from l3_modeltools.data.prepare.tokenizer import load_tokenizer
from l3_modeltools.data.prepare.verify import files_of
from l3_modeltools.schemas import Dataset

__all__ = ["Decoded", "Inspection", "StoredDataset", "decode_documents", "inspect_dataset", "list_datasets"]


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredDataset:
    """A manifest, where it is, and the size of all its files."""

    dataset: Dataset
    directory: Path
    size_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Inspection(StoredDataset):
    """The same, and what only the indexes say: the lengths of its documents."""

    median_tokens: int
    longest_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Decoded:
    """One document of the training split as text, and the same by its tokens: halves of a character are `�`."""

    number: int
    text: str
    pieces: tuple[str, ...]


def inspect_dataset(manifest: Path) -> Inspection:
    """Read a manifest and the indexes beside it. Raises UnhealthyError, UnsatisfiableError where one is damaged."""
    stored = _stored(manifest)
    dataset, directory = stored.dataset, stored.directory
    readers = [IndexedReader(directory / shard.bin.name.removesuffix(".bin")) for shard in dataset.shards]
    lengths = np.concatenate([reader.lengths for reader in readers])
    return Inspection(
        dataset=dataset,
        directory=directory,
        size_bytes=stored.size_bytes,
        median_tokens=int(np.median(lengths)),
        longest_tokens=int(lengths.max()),
    )


def decode_documents(manifest: Path, count: int) -> Iterator[Decoded]:
    """Yield the first `count` documents of the training split, without the token that ends each."""
    dataset, directory = load_manifest(manifest), manifest.parent
    loaded = load_tokenizer(directory / "tokenizer")
    for number, ids in enumerate(_documents(dataset, directory, count), start=1):
        yield Decoded(
            number=number,
            text=loaded.decode(ids, skip_special_tokens=False),
            pieces=tuple(loaded.decode([token], skip_special_tokens=False) for token in ids),
        )


def list_datasets(folder: Path) -> tuple[tuple[StoredDataset, ...], tuple[UnhealthyError, ...]]:
    """List every data set of a folder, by name, and what is wrong with those whose manifest is damaged.

    Only manifests are read; a damaged one hides no other.
    """
    stored, damaged = [], []
    for manifest in sorted(folder.glob(f"[!.]*/{MANIFEST}")):
        try:
            stored.append(_stored(manifest))
        except UnhealthyError as error:
            damaged.append(error)
    return tuple(stored), tuple(damaged)


def _stored(manifest: Path) -> StoredDataset:
    dataset = load_manifest(manifest)
    size_bytes = manifest.stat().st_size + sum(file.size_bytes for file in files_of(dataset))
    return StoredDataset(dataset=dataset, directory=manifest.parent, size_bytes=size_bytes)


def _documents(dataset: Dataset, directory: Path, count: int) -> Iterator[list[int]]:
    for shard in (shard for shard in dataset.shards if shard.split == "train"):
        reader = IndexedReader(directory / shard.bin.name.removesuffix(".bin"))
        for index in range(min(count, reader.documents)):
            yield reader.document(index).tolist()[:-1]
        count -= reader.documents
        if count <= 0:
            return

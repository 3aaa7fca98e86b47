"""A data set is read whole and compared with its manifest: hashes, indexes, and that every token is one."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import file_digest
from pathlib import Path
from stat import S_ISREG

from l0_infra.core.errors import UnsatisfiableError, describe_os_error
from l3_modeltools.data.indexed import IndexedReader
from l3_modeltools.data.prepare.publish import load_manifest
from l3_modeltools.schemas import Dataset, DataShard, HashedFile

__all__ = ["Verification", "verify_dataset"]

TOKENS_AT_ONCE = 2**20


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What was looked at, and each fault in a sentence; sound when there is none."""

    dataset: str
    files: int
    size_bytes: int
    faults: tuple[str, ...]


def verify_dataset(manifest: Path, *, workers: int) -> Verification:
    """Hash every file that the manifest names, `workers` at once, and look at every index and token.

    Raises UnhealthyError when the manifest itself cannot be read.
    """
    dataset, directory = load_manifest(manifest), manifest.parent
    files = files_of(dataset)
    with ThreadPoolExecutor(workers) as pool:
        hashed = pool.map(partial(hash_fault, directory), files)
        bad = {file.name: fault for file, fault in zip(files, hashed, strict=True) if fault}
        sound = [shard for shard in dataset.shards if not {shard.bin.name, shard.idx.name} & set(bad)]
        looked = pool.map(partial(shard_fault, directory, dataset.tokenizer.vocab_size), sound)
        faults = [*bad.values(), *filter(None, looked)]
    return Verification(
        dataset=dataset.name,
        files=len(files),
        size_bytes=sum(file.size_bytes for file in files),
        faults=tuple(faults),
    )


def files_of(dataset: Dataset) -> list[HashedFile]:
    """List every file that a manifest names."""
    parts = [part for shard in dataset.shards for part in (shard.bin, shard.idx, shard.mask)]
    return [*filter(None, parts), *dataset.tokenizer.files]


def hash_fault(directory: Path, file: HashedFile) -> str:
    """Say what is wrong with a file's content; nothing when it is the one of the manifest."""
    path = directory / file.name
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):
            return f"{path}: no regular file"
        if status.st_size != file.size_bytes:
            return f"{path}: {status.st_size} bytes; the manifest says {file.size_bytes}"
        with path.open("rb", buffering=0) as stream:
            found = file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"{path}: {describe_os_error(error)}"
    return "" if found == file.sha256 else f"{path}: content of another hash than the manifest says"


def shard_fault(directory: Path, vocab_size: int, shard: DataShard) -> str:
    """Say what is wrong with a shard's index or tokens, whatever its hash; nothing when it is sound."""
    return next(_shard_faults(directory, vocab_size, shard), "")


def _shard_faults(directory: Path, vocab_size: int, shard: DataShard) -> Iterator[str]:
    try:
        reader = IndexedReader(directory / shard.bin.name.removesuffix(".bin"))
        reader.check()
    except UnsatisfiableError as error:
        yield str(error)
        return
    if (reader.documents, reader.tokens) != (shard.documents, shard.tokens):
        yield f"{reader.idx_path}: {reader.documents} documents and {reader.tokens} tokens; the manifest says others"
    if shard.mask and shard.mask.size_bytes != shard.tokens:
        yield f"{directory / shard.mask.name}: {shard.mask.size_bytes} marks for {shard.tokens} tokens"
    for start in range(0, reader.tokens, TOKENS_AT_ONCE):
        tokens = reader.window(start, min(start + TOKENS_AT_ONCE, reader.tokens))
        low, high = int(tokens.min()), int(tokens.max())
        if low < 0 or high >= vocab_size:
            yield f"{reader.bin_path}: tokens from {low} to {high}; the tokenizer knows {vocab_size}"

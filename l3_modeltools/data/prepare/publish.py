"""A data set appears whole under its name, one prepare at a time; an earlier one is moved, never written over."""

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import msgspec

from l0_infra.core.documents import render_json
from l0_infra.core.errors import EngineError, UnhealthyError, UsageError, describe_os_error
from l0_infra.core.store import load_file, save_file
from l3_modeltools.data.prepare.origin import Origin, describe_changes
from l3_modeltools.data.prepare.workplace import Workplace
from l3_modeltools.schemas import Dataset

__all__ = ["begin", "load_manifest", "locked", "move_aside", "prepared_already", "publish", "staging_of"]

LOCK_WAIT_S = 3.0
"""How long the processes of a killed prepare may take to end."""

CHANGES_TOLD = 5


def staging_of(directory: Path) -> Path:
    """Where a data set is while it is not whole: hidden, beside its place, so that one rename publishes it."""
    return directory.with_name(f".{directory.name}.preparing")


@contextmanager
def locked(directory: Path, *, wait_s: float = LOCK_WAIT_S) -> Iterator[int]:
    """Keep every other prepare of this data set out; yields the descriptor to be inherited by helpers.

    Raises EngineError when another one is at work.
    """
    directory.parent.mkdir(parents=True, exist_ok=True)
    path = directory.with_name(f".{directory.name}.lock")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        _take(descriptor, directory, wait_s)
        yield descriptor
    finally:
        os.close(descriptor)


def prepared_already(directory: Path, origin: Origin) -> Dataset | None:
    """Return the data set that is there if `origin` would become the same, None if nothing is there.

    Raises UsageError when it came from something else, UnhealthyError when files of it are missing.
    """
    place = Workplace(directory)
    if not directory.exists():
        return None
    if not place.manifest.exists() or not place.origin.exists():
        raise UsageError(
            str(directory),
            found="a folder that no prepare made",
            expected="a data set, or nothing",
            hint="move it away, or give the corpus another name",
        )
    changes = list(describe_changes(place.load_origin(), origin))
    if changes:
        raise _changed(directory, changes)
    dataset = load_manifest(place.manifest)
    for shard in dataset.shards:
        for file in filter(None, (shard.bin, shard.idx, shard.mask)):
            path = directory / file.name
            if not path.exists() or path.stat().st_size != file.size_bytes:
                raise UnhealthyError(
                    str(path),
                    found="another size than its manifest says" if path.exists() else "no such file",
                    expected=f"{file.size_bytes} bytes",
                    hint="prepare it again with --replace",
                )
    return dataset


def begin(place: Workplace, origin: Origin) -> None:
    """Make the workplace, or go on in the one that is there if it is for the same data set."""
    content = msgspec.json.format(msgspec.json.encode(origin), indent=1)
    if place.origin.exists() and place.origin.read_bytes() == content:
        return
    shutil.rmtree(place.directory, ignore_errors=True)
    place.work.mkdir(parents=True)
    save_file(place.origin, content)


def publish(place: Workplace, dataset: Dataset) -> None:
    """Write the manifest, last of all files."""
    save_file(place.manifest, render_json(dataset).encode())


def move_aside(directory: Path) -> Path | None:
    """Give the data set that is at `directory` the first free name `NAME.1`, `NAME.2`, …; return where it is now."""
    if not directory.exists():
        return None
    names = (directory.with_name(f"{directory.name}.{number}") for number in count(1))
    target = next(name for name in names if not name.exists())
    return directory.rename(target)


def load_manifest(path: Path) -> Dataset:
    """Read a manifest that ogai wrote. Raises UnhealthyError when it is damaged."""
    try:
        return msgspec.json.decode(load_file(path), type=Dataset)
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        found = describe_os_error(error) if isinstance(error, OSError) else str(error)
        raise UnhealthyError(
            str(path), found=found, expected="the manifest of a data set", hint="prepare it again"
        ) from error


def _take(descriptor: int, directory: Path, wait_s: float) -> None:
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise EngineError(
                    str(directory),
                    found="another prepare of this data set at work",
                    expected="one at a time",
                    hint="wait for it, or give the corpus another name",
                    retry=True,
                ) from None
            time.sleep(0.05)


def _changed(directory: Path, changes: list[str]) -> UsageError:
    told = "; ".join(changes[:CHANGES_TOLD])
    more = f"; and {len(changes) - CHANGES_TOLD} more" if changes[CHANGES_TOLD:] else ""
    return UsageError(
        str(directory),
        found=f"a data set made from something else: {told}{more}",
        expected="the same, or --replace",
        hint="--replace prepares anew and keeps the earlier one under another name; or name the corpus otherwise",
    )

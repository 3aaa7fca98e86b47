"""A checkpoint as it lies on the disk, judged: whole and sound, or why it must not be loaded."""

import hashlib
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from l0_infra.core.documents import parse_document
from l0_infra.core.errors import DocumentError
from l0_infra.core.store import load_file
from l0_infra.core.units import format_bytes
from l3_modeltools.checkpoint.naming import MANIFEST, Name, parse_name
from l3_modeltools.schemas import Checkpoint, HashedFile

__all__ = ["Found", "FoundState", "Verify", "look_at", "probe_checkpoint", "verify"]

Verify = Literal["sizes", "hashes"]
"""How well a checkpoint is looked at: that every file has its size, or that every byte is right."""

FoundState = Literal["sound", "damaged", "set aside", "unfinished"]
"""What a directory is: `unfinished` is half written or half removed, `set aside` was damaged and is out of the way."""

READERS = 8
"""Threads that hash; each reads one file at a time."""

CONDITIONS = {
    "partial": "half-written: its save did not end",
    "removing": "half-removed",
    "damaged": "set aside as damaged when its step was reached again",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A directory that is a checkpoint's by its name; without a `fault` it may be loaded.

    `size_bytes` is what its files take on the disk, whatever the manifest says of them.
    """

    step: int
    directory: Path
    size_bytes: int
    manifest: Checkpoint | None = None
    fault: str = ""

    @property
    def state(self) -> FoundState:
        """Say in a word what it is."""
        name = parse_name(self.directory.name)
        if name is None or not name.condition:
            return "damaged" if self.fault else "sound"
        return "unfinished" if name.condition in ("partial", "removing") else "set aside"


def look_at(directory: Path) -> Found:
    """Judge one directory by its manifest and the sizes of its files; a directory may bear any name."""
    name = parse_name(directory.name)
    size_bytes = sum(_sizes(directory))
    manifest, fault = _manifest(directory)
    step = name.step if name else manifest.step if manifest else 0
    fault = _condition(name) or fault or (_faults(directory, manifest, name) if manifest else "")
    return Found(step=step, directory=directory, size_bytes=size_bytes, manifest=manifest, fault=fault)


def probe_checkpoint(directory: Path, *, how: Verify = "sizes") -> Found:
    """Judge one directory by sizes alone or by every byte."""
    found = look_at(directory)
    return verify(found) if how == "hashes" else found


def verify(found: Found) -> Found:
    """Read every byte and compare it with the manifest, several files at a time; a fault seen before stays."""
    if found.fault or found.manifest is None:
        return found
    with ThreadPoolExecutor(READERS) as readers:
        faults = readers.map(lambda file: _hash_fault(found.directory, file), found.manifest.files)
        return replace(found, fault=next(filter(None, faults), ""))


def _condition(name: Name | None) -> str:
    return CONDITIONS[name.condition.partition("-")[0]] if name and name.condition else ""


def _manifest(directory: Path) -> tuple[Checkpoint | None, str]:
    if directory.is_symlink():
        return None, "a symbolic link, not a directory"
    path = directory / MANIFEST
    try:
        if path.is_symlink():
            return None, f"`{MANIFEST}` is a symbolic link"
        text = load_file(path).decode()
        return parse_document(text, source=MANIFEST, expect=Checkpoint), ""
    except FileNotFoundError:
        return None, f"no `{MANIFEST}`: its save did not end"
    except OSError as error:
        return None, f"`{MANIFEST}` cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        return None, f"`{MANIFEST}` is not text"
    except DocumentError as error:
        return None, str(error.faults[0])


def _faults(directory: Path, manifest: Checkpoint, name: Name | None) -> str:
    if name and manifest.step != name.step:
        return f"its manifest is that of step {manifest.step}"
    return next(filter(None, (_size_fault(directory, file) for file in manifest.files)), "")


def _size_fault(directory: Path, file: HashedFile) -> str:
    path = directory / file.name
    try:
        status = path.lstat()
        led_away = os.path.realpath(path) != str(Path(os.path.realpath(directory)) / file.name)
    except OSError as error:
        return f"`{file.name}`: {(error.strerror or 'unreadable').lower()}"
    if led_away or not stat.S_ISREG(status.st_mode):
        return f"`{file.name}` is not a regular file within its directory"
    if status.st_size != file.size_bytes:
        return f"`{file.name}` has {status.st_size:,} of {file.size_bytes:,} bytes"
    return ""


def _hash_fault(directory: Path, file: HashedFile) -> str:
    try:
        with (directory / file.name).open("rb", buffering=0) as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"`{file.name}`: {(error.strerror or 'unreadable').lower()}"
    if found == file.sha256:
        return ""
    return f"`{file.name}` ({format_bytes(file.size_bytes)}) differs from its hash"


def _sizes(directory: Path) -> Iterator[int]:
    """Yield the size of each file; what vanishes meanwhile counts nothing."""
    for folder, _, names in os.walk(directory):
        for name in names:
            try:
                yield (Path(folder) / name).lstat().st_size
            except FileNotFoundError:
                continue

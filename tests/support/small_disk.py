"""A file system of a few MiB, to be filled."""

import contextlib
import errno
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

__all__ = ["a_small_disk", "fill"]


@contextlib.contextmanager
def a_small_disk(folder: Path, options: str) -> Iterator[Path]:
    """Mount one; where that is not allowed the test is skipped."""
    disk = folder / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "ogai-test", str(disk)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path, *, leave_bytes: int = 0) -> Path:
    """Write a file that leaves no room, or so much, and return it."""
    filler = disk / "filler"
    try:
        with filler.open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    with filler.open("r+b") as file:
        file.truncate(filler.stat().st_size - leave_bytes)
    return filler

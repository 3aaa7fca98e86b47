"""Which clusters are kept on this machine, and which of them is meant where none is named."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from l0_infra.core.store import load_file, prepare_home, save_file

__all__ = ["current_name", "forget_current", "known_names", "make_current"]

POINTER = "current"


def known_names(home: Path) -> tuple[str, ...]:
    """List the clusters that were brought up from here."""
    return tuple(sorted(path.parent.name for path in (home / "clusters").glob("*/cluster.yaml")))


def current_name(home: Path) -> str | None:
    """Name the current cluster; None when there is none."""
    try:
        name = load_file(home / "clusters" / POINTER).decode("utf-8", "replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return name or None


def make_current(home: Path, name: str) -> None:
    """Have a cluster be the current one; a reader sees the one before or this one."""
    with _pointing(home) as pointer:
        save_file(pointer, f"{name}\n".encode())


def forget_current(home: Path, name: str) -> None:
    """Have no cluster be the current one, unless another than `name` is by now."""
    with _pointing(home) as pointer:
        if current_name(home) == name:
            pointer.unlink()


@contextlib.contextmanager
def _pointing(home: Path) -> Iterator[Path]:
    """Be the only one to move the pointer for a block, so that nobody forgets what another has just chosen."""
    folder = prepare_home(home) / "clusters"
    folder.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield folder / POINTER
    finally:
        os.close(descriptor)

"""How many processes the kernel has killed for want of memory in this process's control group."""

from collections.abc import Iterator
from pathlib import Path

__all__ = ["count_oom_kills"]

ROOT = Path("/")


def count_oom_kills(root: Path = ROOT) -> int | None:
    """Return the number since the group was made; None where the kernel does not say. `root` holds proc and sys.

    Version 2 of control groups counts with the groups below; version 1, this group alone.
    """
    for file in event_files(root):
        try:
            return parse_kills(file.read_text())
        except (OSError, LookupError):
            continue
    return None


def event_files(root: Path) -> Iterator[Path]:
    """Yield the files that may hold the number: of the group itself, then of what a container sees of it."""
    mounts = root / "sys/fs/cgroup"
    try:
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in groups:
        number, controllers, path = line.split(":", 2)
        if number == "0" or "memory" in controllers.split(","):
            places, name = places_of(mounts, number)
            for place in places:
                yield place / path.lstrip("/") / name
                yield place / name


def places_of(mounts: Path, number: str) -> tuple[tuple[Path, ...], str]:
    """Say where a hierarchy is mounted and what its file is called."""
    if number == "0":
        return (mounts, mounts / "unified"), "memory.events"
    return (mounts / "memory",), "memory.oom_control"


def parse_kills(text: str) -> int:
    """Read the number after `oom_kill`. Raises LookupError where there is none."""
    return int(dict(line.split(maxsplit=1) for line in text.splitlines())["oom_kill"])

"""Where the control groups lie that count this process's memory (cgroups(7), proc_pid_mountinfo(5))."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

__all__ = ["memory_groups"]

ROOT = Path("/")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """A hierarchy as it is mounted: `shown` is the group that is seen at `place`, which in a container may be any."""

    version: int
    shown: PurePosixPath
    place: PurePosixPath


def memory_groups(root: Path = ROOT) -> tuple[Path, ...]:
    """Return the folders of this process's memory group and of all above it that are seen, its own first.

    Of both versions the first counts where both are mounted and it has the memory controller. None: there are no
    control groups. Folders need not exist: a container may not see its own group. `root` holds proc and sys.
    """
    try:
        membership = (root / "proc/self/cgroup").read_text()
        mounts = (root / "proc/self/mountinfo").read_text()
    except OSError:
        return ()
    found = {mount.version: mount for mount in parse_mounts(mounts)}
    for version, group in parse_membership(membership):
        if version in found:
            return tuple(root / str(folder).lstrip("/") for folder in folders(found[version], group))
    return ()


def parse_membership(text: str) -> list[tuple[int, PurePosixPath]]:
    """Read the groups that may count memory: by version, version 1 first."""
    found = []
    for line in text.splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0":
            found.append((2, PurePosixPath(path)))
        elif "memory" in controllers.split(","):
            found.append((1, PurePosixPath(path)))
    return sorted(found)


def parse_mounts(text: str) -> Iterator[Mount]:
    """Read where hierarchies that may count memory are mounted."""
    for line in text.splitlines():
        mount, _, system = line.partition(" - ")
        shown, place = map(PurePosixPath, mount.split()[3:5])
        kind, _, options = system.split(maxsplit=2)
        if kind == "cgroup2":
            yield Mount(version=2, shown=shown, place=place)
        elif kind == "cgroup" and "memory" in options.split(","):
            yield Mount(version=1, shown=shown, place=place)


def folders(mount: Mount, group: PurePosixPath) -> Iterator[PurePosixPath]:
    """Yield the folder of a group and of those above it, up to where the hierarchy is mounted."""
    is_seen = group.is_relative_to(mount.shown) and ".." not in group.parts
    inside = group.relative_to(mount.shown) if is_seen else PurePosixPath()
    for part in (inside, *inside.parents):
        yield mount.place / part

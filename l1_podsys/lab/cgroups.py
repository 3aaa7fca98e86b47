"""Control groups of a lab: who belongs to it, how much a host may use, and that all of it ends at once.

A process is the lab's when it is in the lab's group, whatever its number; nothing else is ever signalled.
"""

import contextlib
import errno
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.errors import EngineError

__all__ = [
    "Groups",
    "freeze",
    "is_frozen",
    "kill_group",
    "kill_member",
    "parse_groups",
    "processes_of",
    "remove_group",
    "thaw",
]

WANTED = ("cpu", "memory", "freezer", "pids", "name=systemd")
"""Hierarchies of version 1 that a host's processes are put into, where they are mounted so."""

FREEZE_S = 10.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Groups:
    """Where control groups are mounted: `unified` for version 2, `legacy` by controller for version 1."""

    unified: Path | None
    legacy: dict[str, Path]

    def roots(self) -> tuple[Path, ...]:
        """Every hierarchy in which a lab has a group."""
        own = () if self.unified is None else (self.unified,)
        return (*own, *dict.fromkeys(self.legacy[name] for name in WANTED if name in self.legacy))

    def of(self, controller: str, group: str) -> Path | None:
        """Where this controller is steered for a group; None where it cannot be."""
        if controller in self.legacy:
            return self.legacy[controller] / group
        if self.unified is None:
            return None
        return self.unified / group


def parse_groups(mountinfo: str) -> Groups:
    """Read where control groups are mounted from `/proc/self/mountinfo` (proc(5))."""
    unified, legacy = None, {}
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields, tail = before.split(" "), after.split(" ")
        if tail[0] == "cgroup2" and unified is None:
            unified = Path(fields[4])
        elif tail[0] == "cgroup" and len(tail) > 2:
            legacy.update({option: Path(fields[4]) for option in tail[2].split(",") if option in WANTED})
    return Groups(unified=unified, legacy=legacy)


def processes_of(groups: Groups, group: str) -> frozenset[int]:
    """List the processes in a group and below it."""
    found: set[int] = set()
    for root in groups.roots():
        for folder in _folders(root / group):
            with contextlib.suppress(OSError):  # a group that went away meanwhile holds nobody
                found.update(map(int, (folder / "cgroup.procs").read_text().split()))
    return frozenset(found - {0})


def kill_group(groups: Groups, group: str, *, wait_s: float = 10.0) -> None:
    """End every process of a group and wait until none is left. Raises EngineError when some do not end."""
    thaw(groups, group)  # a frozen process dies only once it is thawed
    deadline = time.monotonic() + wait_s
    while left := processes_of(groups, group):
        for number in left:
            kill_member(group, number)
        if time.monotonic() > deadline:
            raise EngineError(
                f"control group {group}",
                found=f"processes {sorted(left)} after SIGKILL",
                expected="their end",
            )
        time.sleep(0.02)


def remove_group(groups: Groups, group: str) -> None:
    """Remove a group without processes, with all groups in it."""
    for root in groups.roots():
        for folder in reversed(_folders(root / group)):
            _remove_folder(folder)


def _remove_folder(folder: Path, *, wait_s: float = 10.0) -> None:
    """Remove one group; a process that is no longer listed may hold it busy a moment longer."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            return folder.rmdir()
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def belongs(number: int, group: str) -> bool:
    """Tell whether a process is in a group or below it. Raises FileNotFoundError when it is gone."""
    lines = Path(f"/proc/{number}/cgroup").read_text().splitlines()
    return any(f"/{group}/" in f"{line}/" for line in lines)


def freeze(groups: Groups, group: str) -> None:
    """Stop every process of a group where it stands, and wait until all do. Raises EngineError when some go on."""
    file, word, done = _freezer(groups, group)
    file.write_text(word)
    deadline = time.monotonic() + FREEZE_S
    while not done(file):
        if time.monotonic() > deadline:
            raise EngineError(str(file), found=file.read_text().strip(), expected=word)
        time.sleep(0.01)


def is_frozen(groups: Groups, group: str) -> bool:
    """Tell whether a group is frozen; one that is not there is none."""
    try:
        file, word, _ = _freezer(groups, group)
        return file.read_text().strip() == word
    except OSError:
        return False


def _freezer(groups: Groups, group: str) -> tuple[Path, str, Callable[[Path], bool]]:
    if "freezer" in groups.legacy:
        return groups.legacy["freezer"] / group / "freezer.state", "FROZEN", _is_frozen_legacy
    if groups.unified is None:
        raise EngineError(
            f"control group {group}", found="no freezer", expected="control groups that can freeze"
        )
    return groups.unified / group / "cgroup.freeze", "1", _is_frozen_unified


def _is_frozen_legacy(file: Path) -> bool:
    return file.read_text().strip() == "FROZEN"


def _is_frozen_unified(file: Path) -> bool:
    return "frozen 1" in (file.parent / "cgroup.events").read_text()


def thaw(groups: Groups, group: str) -> None:
    """Let every host of a group, or one, go on."""
    for name, word in (("freezer.state", "THAWED"), ("cgroup.freeze", "0")):
        for root in groups.roots():
            for folder in _folders(root / group):
                if (folder / name).exists():
                    with contextlib.suppress(OSError):
                        (folder / name).write_text(word)


def kill_member(group: str, number: int) -> None:
    """Kill a process by a handle that was opened before its membership was looked at once more."""
    try:
        handle = os.pidfd_open(number)
    except ProcessLookupError:
        return
    try:
        if belongs(number, group):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        pass
    finally:
        os.close(handle)


def _folders(group: Path) -> list[Path]:
    """List a group and all groups below it, each before those in it; they come and go while this looks."""
    return [Path(folder) for folder, _, _ in os.walk(group)]

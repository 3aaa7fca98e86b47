"""Processes as the agent meets them: alive or not, signalled without mistake, ended if their shim died."""

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from l0_infra.core.store import load_file
from l2_scheduler.local.shim import is_engine, proc

__all__ = [
    "Identity",
    "descendants",
    "end_leftovers",
    "holders",
    "identity_of",
    "is_alive",
    "leftovers",
    "marked",
    "signal_identity",
]

_STEP_S = 0.02
_KILL_ROUNDS = 250


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """One process of one boot; never names another, however often pids are used again."""

    boot_id: str
    pid: int
    start_ticks: int


class _Listed(msgspec.Struct, frozen=True, kw_only=True):
    boot_id: str
    processes: tuple[tuple[int, int], ...]


def identity_of(pid: int) -> Identity | None:
    """Return who a pid is now; None if no such process lives."""
    ticks = proc.start_ticks(pid)
    return None if ticks is None else Identity(boot_id=proc.boot_id(), pid=pid, start_ticks=ticks)


def is_alive(identity: Identity) -> bool:
    """Tell whether this very process still runs; a zombie does not."""
    return identity.boot_id == proc.boot_id() and proc.start_ticks(identity.pid) == identity.start_ticks


def signal_identity(identity: Identity, number: int) -> bool:
    """Signal this very process; False if it is gone. Raises PermissionError for another user's."""
    return identity.boot_id == proc.boot_id() and proc.send((identity.pid, identity.start_ticks), number)


def descendants(pid: int) -> frozenset[Identity]:
    """Return all living processes below `pid`."""
    return _identities(proc.descendants(pid))


def marked(token: str) -> frozenset[Identity]:
    """Return the processes started with this `OGAI_TOKEN`, as far as their environment may be read."""
    mark = f"OGAI_TOKEN={token}".encode()
    found = [
        pid
        for pid in proc.pids()
        if mark in (environ := proc.environ_of(pid)).split(b"\0") and not is_engine(environ)
    ]
    return frozenset(identity for pid in found if (identity := identity_of(pid)))


def holders(claim: str) -> frozenset[Identity]:
    """Return the processes that have this claim's file open, which a job's processes inherit; never this process."""
    names = {claim, f"{claim} (deleted)"}
    found = [
        pid
        for pid in proc.pids()
        if pid != os.getpid() and names & proc.open_files(pid) and not is_engine(proc.environ_of(pid))
    ]
    return frozenset(identity for pid in found if (identity := identity_of(pid)))


def leftovers(attempt_dir: Path, token: str, claim: str = "") -> frozenset[Identity]:
    """Return what runs on of an attempt whose shim is gone: listed or marked by it, holding its claim, or below these.

    Each of the three misses some: the list what is younger than a second, the mark what emptied its environment, the
    claim what closed every descriptor.
    """
    found = {identity for identity in _listed(attempt_dir) if is_alive(identity)} | marked(token)
    found |= holders(claim) if claim else frozenset()
    return frozenset(found.union(*(descendants(identity.pid) for identity in found)))


def end_leftovers(attempt_dir: Path, token: str, grace_s: float, claim: str = "") -> int:
    """End what `leftovers` finds; return how many: SIGTERM, `grace_s` seconds, SIGKILL until none is left.

    Blocks up to `grace_s` and a little more. Processes that run as another user are beyond reach and stay.
    """
    found = leftovers(attempt_dir, token, claim)
    reached = _signal_each(found, signal.SIGTERM, signal.SIGCONT)
    deadline = time.monotonic() + grace_s
    while any(map(is_alive, reached)) and time.monotonic() < deadline:
        time.sleep(_STEP_S)
    for _ in range(_KILL_ROUNDS):
        if not _signal_each(leftovers(attempt_dir, token, claim), signal.SIGKILL):
            break
        time.sleep(_STEP_S)
    return len(found)


def _signal_each(identities: Iterable[Identity], *numbers: int) -> list[Identity]:
    reached = []
    for identity in identities:
        with suppress(PermissionError):
            for number in numbers:
                signal_identity(identity, number)
            reached.append(identity)
    return reached


def _listed(attempt_dir: Path) -> list[Identity]:
    try:
        listed = msgspec.json.decode(load_file(attempt_dir / "processes.json"), type=_Listed)
    except (OSError, msgspec.DecodeError):
        return []
    return [Identity(boot_id=listed.boot_id, pid=pid, start_ticks=ticks) for pid, ticks in listed.processes]


def _identities(processes: Iterable[proc.Process]) -> frozenset[Identity]:
    boot_id = proc.boot_id()
    return frozenset(Identity(boot_id=boot_id, pid=pid, start_ticks=ticks) for pid, ticks in processes)

"""The attempt's files: claimed once, written whole, reserved ahead. The working directory is theirs."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time

from l2_scheduler.local.shim.launch import Launch
from l2_scheduler.local.shim.proc import boot_id, start_ticks

_CREATE = os.O_CREAT | os.O_CLOEXEC


class Refused(Exception):
    """The attempt is not ours to run."""


def claim_attempt() -> int:
    """Lock the attempt and return the lock's descriptor; raises Refused when it is taken, over or void."""
    lock = os.open("lock", os.O_RDWR | _CREATE, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Refused("another shim runs this attempt") from None
    for name, meaning in (
        ("void", "the agent gave this attempt up"),
        ("shim.json", "this attempt was started before"),
    ):
        if os.path.exists(name):
            raise Refused(meaning)
    return lock


def open_control() -> int:
    """Make the control FIFO and open both its ends, so that a writer that leaves does not end it."""
    if not os.path.exists("control"):
        os.mkfifo("control", 0o600)
    return os.open("control", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)


def reserve_outcome(tasks: int) -> int:
    """Give `exit.json` its blocks now, so that a disk that fills up later cannot lose the outcome."""
    fd = os.open("exit.json.tmp", os.O_RDWR | os.O_TRUNC | _CREATE, 0o644)
    os.posix_fallocate(fd, 0, 8192 + 128 * tasks)
    return fd


def publish_outcome(fd: int, outcome: dict[str, object]) -> None:
    """Write the outcome into the reserved blocks and let it appear at once and whole."""
    text = json.dumps(outcome).encode()
    os.pwrite(fd, text, 0)
    os.ftruncate(fd, len(text))
    os.fsync(fd)
    os.rename("exit.json.tmp", "exit.json")
    _sync_directory()


def write_whole(name: str, content: object, *, durable: bool) -> None:
    """Replace a JSON file by temp and rename; `durable` waits until it would survive a power cut."""
    temp = name + ".tmp"
    try:
        with open(temp, "w", encoding="utf-8") as file:
            json.dump(content, file)
            file.flush()
            if durable:
                os.fsync(file.fileno())
    except OSError:
        os.unlink(temp)
        raise
    os.rename(temp, name)
    if durable:
        _sync_directory()


def write_identity(started_at: float) -> None:
    """Say in `shim.json` that this process runs the attempt; from here on an outcome is owed."""
    pid = os.getpid()
    identity = {"boot_id": boot_id(), "pid": pid, "start_ticks": start_ticks(pid), "started_at": started_at}
    write_whole("shim.json", identity, durable=True)


def append_event(launch: Launch, event: str, **details: object) -> None:
    """Add a line to the job's events; a full disk loses it, and nothing else."""
    line = json.dumps({"at": time.time(), "event": event, "attempt": launch.attempt, **details}) + "\n"
    try:
        fd = os.open(launch.events, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | _CREATE, 0o644)
    except OSError:
        return
    try:
        os.write(fd, line.encode())
    except OSError:
        return
    finally:
        os.close(fd)


def ring(bell: str) -> None:
    """Wake the agent, if one lives: one byte into its FIFO, never waiting."""
    try:
        fd = os.open(bell, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode):
            os.write(fd, b"\n")
    except OSError:
        return
    finally:
        os.close(fd)


def _sync_directory() -> None:
    fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)

"""A runner whose commands hold a lock, so that who takes the lab down can wait for those of a killed `up`."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from l0_infra.core.errors import EngineError
from l0_infra.core.exec import Command, OnOutput, Outcome, Runner

__all__ = ["HeldRunner", "locked", "no_commands"]

HOLD = 'exec 9<"$0" && flock --shared 9 && [ "$0" -ef /proc/self/fd/9 ] && exec "$@"'
"""The lock goes with the last of the command's processes; a file that is gone meanwhile lets nothing begin."""

ALONE = 'exec 9<"$0" && flock 9 && exec "$@"'
"""The same, but one command at a time: each begins when the last of the processes of the one before has ended."""


class HeldRunner:
    """Runs commands as another runner does, each under a shared lock on `file`; `alone`: one at a time."""

    def __init__(self, runner: Runner, file: Path, *, alone: bool = False) -> None:
        self._runner = runner
        self._file = file
        self._hold = ALONE if alone else HOLD

    @property
    def target(self) -> str:
        """The host's name."""
        return self._runner.target

    def run(self, command: Command, *, on_output: OnOutput | None = None) -> Outcome:
        """Run a command; see `Runner.run`."""
        argv = ("sh", "-c", self._hold, str(self._file), *command.argv)
        return self._runner.run(replace(command, argv=argv), on_output=on_output)

    def put(self, content: bytes, path: str, *, mode: int = 0o644, sudo: bool = False) -> None:
        """Write a file; see `Runner.put`."""
        self._runner.put(content, path, mode=mode, sudo=sudo)

    def get(self, path: str, *, limit_bytes: int = 16 * 1024 * 1024, sudo: bool = False) -> bytes:
        """Read a file; see `Runner.get`."""
        return self._runner.get(path, limit_bytes=limit_bytes, sudo=sudo)

    def close(self) -> None:
        """Let go of the host."""
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextlib.contextmanager
def locked(folder: Path, *, make: bool = False) -> Iterator[None]:
    """Let one process at a time through, by a lock on a folder; `make`: one that is not there is made.

    Raises FileNotFoundError when it is not there, or was removed by who had the lock before.
    """
    descriptor = _lock(folder, make=make)
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(folder: Path, *, make: bool) -> int:
    while True:
        if make:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), folder.stat()):
                return descriptor
        os.close(descriptor)


@contextlib.contextmanager
def no_commands(file: Path, *, wait_s: float = 30.0) -> Iterator[None]:
    """Wait until no command holds `file`, and keep new ones from beginning. Raises EngineError when one goes on."""
    file.touch()
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    deadline = time.monotonic() + wait_s
    try:
        while not _taken(descriptor):
            if time.monotonic() > deadline:
                raise EngineError(
                    str(file),
                    found="a command of an `up` that was ended, still running",
                    expected="its end",
                    retry=True,
                )
            time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

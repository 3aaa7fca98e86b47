"""A program at a terminal of its own, as a person sits before it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.world import TIMEOUT_S

__all__ = ["Terminal", "at_terminal"]


class Terminal:
    """An `ogai` at a terminal of 80 columns and 24 lines."""

    def __init__(self, process: "subprocess.Popen[bytes]", ours: int) -> None:
        self.process, self.ours = process, ours
        self.seen = ""

    def until(self, pattern: str) -> None:
        """Read until it has written this. Raises TimeoutError."""
        deadline = time.monotonic() + TIMEOUT_S
        while not re.search(pattern, self.seen):
            ready = select.select([self.ours], [], [], TIMEOUT_S)[0]
            if not ready or time.monotonic() > deadline:
                raise TimeoutError(f"{pattern!r} never came; there was {self.seen!r}")
            self.seen += os.read(self.ours, 65536).decode()

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.ours, keys.encode())

    def end(self) -> int:
        """Read what else it writes until it has ended; return its exit code."""
        code = self.process.wait(60)
        os.set_blocking(self.ours, False)
        try:
            while block := os.read(self.ours, 65536):
                self.seen += block.decode()
        except BlockingIOError:
            pass
        return code

    @property
    def after(self) -> str:
        """What stands on the normal screen once the view has gone, without its colours."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self.seen.rpartition("\x1b[?1049l")[2]).replace("\r\n", "\n")


@contextmanager
def at_terminal(environment: dict[str, str], *words: str) -> Iterator[Terminal]:
    """Start an `ogai` at a terminal of its own; the terminal must be given back as it was."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(theirs)
    environ = {**environment, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    environ.pop("COLUMNS", None)
    command = [sys.executable, "-m", "ogai", *words]
    with subprocess.Popen(
        command, env=environ, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        try:
            yield Terminal(process, ours)
        finally:
            process.kill()
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)

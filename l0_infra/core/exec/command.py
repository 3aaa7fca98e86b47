"""What is run and what came of it, the same for every kind of host."""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from signal import Signals
from typing import Literal, Self

from l0_infra.core.errors import RemoteError, UsageError
from l0_infra.core.exec.secret import Secret

__all__ = ["Command", "Ended", "OnOutput", "Outcome", "Stream"]

Stream = Literal["stdout", "stderr"]

Ended = Literal["exit", "signal", "deadline"]

OnOutput = Callable[[Stream, bytes], None]
"""Called with each piece of output as it arrives, in order per stream, uncapped."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LAST_LINES = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """One program to run: `argv` is never read by a shell, `stdin` is given whole and then ends.

    `env` is added to the host's own environment and travels outside argv; `cwd` defaults to the host's
    choice. After `deadline_s` (None: never) the program and all its descendants are ended. Of each output
    stream at most `output_limit_bytes` are kept. `sudo` runs it as root.
    """

    argv: tuple[str, ...]
    stdin: bytes | None = field(default=None, repr=False)
    env: Mapping[str, str | Secret] = field(default_factory=dict)
    cwd: str | None = None
    deadline_s: float | None = 60.0
    output_limit_bytes: int = 16 * 1024 * 1024
    sudo: bool = False

    def __post_init__(self) -> None:
        if not self.argv or not self.argv[0]:
            raise UsageError("command", found="an empty argv", expected="a program and its arguments")
        if any("\0" in text for text in (*self.argv, self.cwd or "")):
            raise UsageError(str(self), found="a NUL byte", expected="text that a program can be given")
        for name, value in self.env.items():
            if not _NAME.fullmatch(name) or "\0" in reveal(value):
                raise UsageError(
                    f"env of {self}",
                    found=f"the variable {name!r}",
                    expected="letters, digits and _; no NUL byte",
                )
        if self.deadline_s is not None and self.deadline_s <= 0:
            raise UsageError(str(self), found=f"deadline_s={self.deadline_s}", expected="more than 0 seconds")

    def __str__(self) -> str:
        return shlex.join(self.argv)

    @classmethod
    def script(cls, text: str, *args: str, deadline_s: float | None = 60.0, sudo: bool = False) -> Self:
        """Run a POSIX shell script given on stdin: `sh -s -- args…`."""
        return cls(argv=("sh", "-s", "--", *args), stdin=text.encode(), deadline_s=deadline_s, sudo=sudo)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How a command ended and what it said.

    `ended_by` tells which holds: "exit" (`exit_code` is set; 126 not executable or no such `cwd`, 127 not
    found), "signal" (`signal` is set) or "deadline" (neither is set). A truncated stream keeps its head and
    its tail, half each, with a line between that counts what was left out.
    """

    argv: tuple[str, ...]
    ended_by: Ended
    exit_code: int | None = None
    signal: int | None = None
    stdout_bytes: bytes = field(default=b"", repr=False)
    stderr_bytes: bytes = field(default=b"", repr=False)
    stdout_truncated: bool = False
    stderr_truncated: bool = False
    elapsed_s: float = 0.0
    target: str = "local"

    @property
    def stdout(self) -> str:
        """Standard output as text; bytes that are not UTF-8 are replaced."""
        return self.stdout_bytes.decode(errors="replace")

    @property
    def stderr(self) -> str:
        """Standard error as text; bytes that are not UTF-8 are replaced."""
        return self.stderr_bytes.decode(errors="replace")

    @property
    def ok(self) -> bool:
        """Whether the command exited with 0."""
        return self.exit_code == 0

    def describe_end(self) -> str:
        """Say in words how it ended."""
        if self.ended_by == "deadline":
            return f"no end after {self.elapsed_s:.1f} s"
        return (
            f"exit code {self.exit_code}" if self.signal is None else f"death by {signal_name(self.signal)}"
        )

    def check(self, hint: str = "") -> Self:
        """Return itself when the command exited with 0, else raise a RemoteError with stderr's last lines."""
        if self.ok:
            return self
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()[-_LAST_LINES:]
        raise RemoteError(
            f"{self.target}: {shlex.join(self.argv)}",
            found="\n  ".join([self.describe_end(), *lines]),
            expected="exit code 0",
            hint=hint,
            retry=self.ended_by == "deadline",
        )


def reveal(value: str | Secret) -> str:
    """Return the text of a plain or secret value."""
    return value.reveal() if isinstance(value, Secret) else value


def signal_name(number: int) -> str:
    """Name a signal as people do; unknown numbers stay numbers."""
    return Signals(number).name if number in {*Signals} else f"signal {number}"

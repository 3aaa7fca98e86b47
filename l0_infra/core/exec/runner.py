"""The one edge to a host: who acts on a machine takes a `Runner` and knows no more of how it is reached."""

from types import TracebackType
from typing import Protocol, Self

from l0_infra.core.exec.command import Command, OnOutput, Outcome

__all__ = ["Runner"]


class Runner(Protocol):
    """Runs commands and moves small files on one host; safe to use from several threads."""

    @property
    def target(self) -> str:
        """The host's name, as messages show it."""

    def run(self, command: Command, *, on_output: OnOutput | None = None) -> Outcome:
        """Run a command to its end or its deadline; a lost host is a RemoteError, a bad exit code is not."""

    def put(self, content: bytes, path: str, *, mode: int = 0o644, sudo: bool = False) -> None:
        """Write a file atomically: readers see the old or the whole new content, never with a wider mode.

        The directory must exist. RemoteError when it cannot be written.
        """

    def get(self, path: str, *, limit_bytes: int = 16 * 1024 * 1024, sudo: bool = False) -> bytes:
        """Read a file whole; RemoteError when it is missing, unreadable or longer than `limit_bytes`."""

    def close(self) -> None:
        """Let go of the host; running commands are told to end."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

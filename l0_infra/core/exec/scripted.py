"""The public test double: a host whose answers are written beforehand, and which refuses anything else."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec.capture import Capture
from l0_infra.core.exec.command import Command, OnOutput, Outcome

__all__ = ["Answer", "Match", "ScriptedRunner"]

Match = tuple[str, ...] | re.Pattern[str] | Callable[[Command], bool]
"""What gets an answer: an exact argv, a pattern found in the quoted argv, or any predicate."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a scripted command says and how it ends; `takes_s` counts against its deadline, unwaited."""

    stdout: str | bytes = b""
    stderr: str | bytes = b""
    exit_code: int = 0
    signal: int | None = None
    takes_s: float = 0.0
    hangs: bool = False
    error: RemoteError | None = None


class ScriptedRunner:
    """A `Runner` without a host: `answer` teaches it, `calls` records what was run, `files` is its file
    system.

    Among answers that match, the one given last counts. A command nobody taught it is a LookupError, which
    is no OgaiError, so that the code under test cannot mistake it for a failing host.
    """

    def __init__(self, target: str = "scripted") -> None:
        self._target = target
        self._answers: list[tuple[Match, Answer | Callable[[Command], Answer]]] = []
        self.calls: list[Command] = []
        self.files: dict[str, bytes] = {}
        self.modes: dict[str, int] = {}
        self.closed = False

    @property
    def target(self) -> str:
        """The name given."""
        return self._target

    def answer(self, match: Match, answer: Answer | Callable[[Command], Answer]) -> Self:
        """Teach an answer; a callable makes it from the command."""
        self._answers.append((match, answer))
        return self

    def run(self, command: Command, *, on_output: OnOutput | None = None) -> Outcome:
        """Record the command and play its answer, with the deadline and the output limit of a real runner."""
        self.calls.append(command)
        answer = self._find(command)
        if answer.error is not None:
            raise answer.error
        out, err = _as_bytes(answer.stdout), _as_bytes(answer.stderr)
        if on_output is not None:
            on_output("stdout", out)
            on_output("stderr", err)
        return _play(self._target, command, answer, out, err)

    def put(self, content: bytes, path: str, *, mode: int = 0o644, sudo: bool = False) -> None:
        """Keep a file in `files`."""
        self.files[path], self.modes[path] = content, mode

    def get(self, path: str, *, limit_bytes: int = 16 * 1024 * 1024, sudo: bool = False) -> bytes:
        """Return a file of `files`."""
        content = self.files.get(path)
        where = f"{self._target}:{path}"
        if content is None:
            raise RemoteError(where, found="No such file or directory", expected="a file that can be read")
        if len(content) > limit_bytes:
            raise RemoteError(
                where, found=f"more than {limit_bytes} bytes", expected="a file within the limit"
            )
        return content

    def close(self) -> None:
        """Note that it was closed."""
        self.closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _find(self, command: Command) -> Answer:
        for match, answer in reversed(self._answers):
            if _matches(match, command):
                return answer if isinstance(answer, Answer) else answer(command)
        known = "".join(f"\n  {_describe(match)}" for match, _ in self._answers) or " nothing"
        raise LookupError(
            f"{self._target}: found the command `{command}`; expected one of the scripted:{known}"
        )


def _play(target: str, command: Command, answer: Answer, out: bytes, err: bytes) -> Outcome:
    late = answer.hangs or (command.deadline_s is not None and answer.takes_s >= command.deadline_s)
    if late and command.deadline_s is None:
        raise LookupError(
            f"{target}: `{command}` is scripted to hang and has no deadline; expected a deadline_s"
        )
    kept_out, kept_err = Capture(command.output_limit_bytes), Capture(command.output_limit_bytes)
    kept_out.add(out)
    kept_err.add(err)
    return Outcome(
        argv=command.argv,
        ended_by="deadline" if late else "exit" if answer.signal is None else "signal",
        exit_code=answer.exit_code if not late and answer.signal is None else None,
        signal=None if late else answer.signal,
        stdout_bytes=kept_out.value(),
        stderr_bytes=kept_err.value(),
        stdout_truncated=kept_out.truncated,
        stderr_truncated=kept_err.truncated,
        elapsed_s=(command.deadline_s or 0.0) if late else answer.takes_s,
        target=target,
    )


def _matches(match: Match, command: Command) -> bool:
    if isinstance(match, tuple):
        return match == command.argv
    if isinstance(match, re.Pattern):
        return match.search(str(command)) is not None
    return match(command)


def _describe(match: Match) -> str:
    if isinstance(match, tuple):
        return shlex.join(match)
    return f"/{match.pattern}/" if isinstance(match, re.Pattern) else repr(match)


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text

"""Lead one command from request to outcome over a link to its supervisor, whatever the link is made of."""

import secrets
import time
from dataclasses import dataclass, field
from typing import Protocol

from l0_infra.core.errors import InterruptedByUser, OgaiError, RemoteError
from l0_infra.core.exec.capture import Capture
from l0_infra.core.exec.command import Command, Ended, OnOutput, Outcome, Stream
from l0_infra.core.exec.protocol import Unframer, bootstrap_argv, render_request
from l0_infra.core.exec.scope import ending_asked
from l0_infra.core.exec.secret import Secret
from l0_infra.core.exec.sudo import judge_sudo, password_refused, sudo_argv

__all__ = ["Connect", "Link", "converse"]

_TICK_S = 0.2  # how soon a wish to end is seen
_END_S = 15.0  # longer than the supervisor needs to end everything: two seconds of grace, then kills


class Link(Protocol):
    """Bytes to and from one supervisor; nothing here blocks except `wait`."""

    def send(self, data: memoryview) -> int:
        """Take as many bytes as fit now, maybe none; a supervisor that is gone takes all."""

    def end_input(self) -> None:
        """Close the supervisor's input, which is the wish to end; may be called twice."""

    def wait(self, timeout_s: float, *, to_send: bool) -> None:
        """Return when something can be read (or sent), at the latest after `timeout_s`."""

    def receive(self) -> list[tuple[Stream, bytes]] | None:
        """Return what has arrived, per stream in order; None once both streams have ended."""

    def close(self) -> None:
        """Let go at once, without waiting for the supervisor."""


class Connect(Protocol):
    """Opens a link to a fresh process."""

    def __call__(self, argv: tuple[str, ...]) -> Link: ...


@dataclass(slots=True)
class _Side:
    frame: Unframer
    capture: Capture


@dataclass(slots=True)
class _Run:
    target: str
    command: Command
    link: Link
    password: Secret | None
    on_output: OnOutput | None
    run_id: str
    started: float = field(default_factory=time.monotonic)
    ending_since: float | None = None
    interrupted: bool = False
    to_send: memoryview = field(default_factory=lambda: memoryview(b""))
    to_follow: list[bytes] = field(default_factory=list)
    sides: dict[Stream, _Side] = field(default_factory=dict)

    def start(self) -> None:
        for stream in ("stdout", "stderr"):
            self.sides[stream] = _Side(Unframer(self.run_id), Capture(self.command.output_limit_bytes))
        self.to_follow = [render_request(self.command, self.run_id), self.command.stdin or b""]
        if self.password is not None:
            self.to_send = memoryview(self.password.reveal().encode() + b"\n")

    def elapsed_s(self) -> float:
        return time.monotonic() - self.started

    def ended(self) -> bool:
        return all(side.frame.status is not None for side in self.sides.values())

    def push(self) -> None:
        """Send what may be sent: a sudo that may still ask for a password is given nothing else."""
        if (
            not self.to_send
            and self.to_follow
            and (self.password is None or self.sides["stdout"].frame.begun)
        ):
            self.to_send = memoryview(self.to_follow.pop(0))
        if self.to_send and self.ending_since is None:
            self.to_send = self.to_send[self.link.send(self.to_send) :]

    def take(self, pieces: list[tuple[Stream, bytes]]) -> None:
        for stream, data in pieces:
            side = self.sides[stream]
            said = side.frame.feed(data)
            side.capture.add(said)
            if said and self.on_output is not None:
                self.on_output(stream, said)
        if self.password is not None and password_refused(self.noise()):
            self.end()

    def noise(self) -> bytes:
        return b"".join(side.frame.noise for side in self.sides.values() if not side.frame.begun)

    def end(self) -> None:
        if self.ending_since is None:
            self.ending_since = self.elapsed_s()
            self.link.end_input()

    def watch_clock(self) -> None:
        limit = self.command.deadline_s
        if self.ended():
            return
        if ending_asked():
            self.interrupted = True
            self.end()
        elif limit is not None and self.elapsed_s() >= limit:
            self.end()

    def given_up(self) -> bool:
        return self.ending_since is not None and self.elapsed_s() > self.ending_since + _END_S

    def next_wait_s(self) -> float:
        limit = self.command.deadline_s
        left = _TICK_S if limit is None or self.ending_since is not None else limit - self.elapsed_s()
        return max(0.0, min(_TICK_S, left))

    def to_its_end(self) -> Outcome:
        while not self.ended():
            self.push()
            self.link.wait(self.next_wait_s(), to_send=bool(self.to_send) and self.ending_since is None)
            pieces = self.link.receive()
            if pieces is None or self.given_up():
                break
            self.take(pieces)
            self.watch_clock()
        return self.outcome()

    def outcome(self) -> Outcome:
        if self.interrupted:
            raise InterruptedByUser(
                f"{self.target}: {self.command}", found="a wish to end", expected="the command's own end"
            )
        out, err = self.sides["stdout"], self.sides["stderr"]
        late = self.ending_since is not None and not password_refused(self.noise())
        if not late and out.frame.status is None:
            raise self.lost()
        how: Ended
        how, number = ("deadline", 0) if late else read_status(out.frame.status or 0)
        return Outcome(
            argv=self.command.argv,
            ended_by=how,
            exit_code=number if how == "exit" else None,
            signal=number if how == "signal" else None,
            stdout_bytes=out.capture.value(),
            stderr_bytes=err.capture.value(),
            stdout_truncated=out.capture.truncated,
            stderr_truncated=err.capture.truncated,
            elapsed_s=self.elapsed_s(),
            target=self.target,
        )

    def lost(self) -> OgaiError:
        """Say why there is no status: sudo refused, the host has no usable shell, or the connection broke."""
        text = self.noise().decode(errors="replace").strip()
        if self.command.sudo and (error := judge_sudo(self.target, text)):
            return error
        if not self.sides["stdout"].frame.begun:
            said = f"no shell that starts{': ' if text else ''}{text}"
            return RemoteError(self.target, found=said, expected="a login that runs `sh`")
        return RemoteError(
            f"{self.target}: {self.command}",
            found="a connection that broke while the command ran",
            expected="its end",
            hint="the command was told to end; run it again",
            retry=True,
        )


def read_status(status: int) -> tuple[Ended, int]:
    """Tell an exit code from a signal as shells do: 128 + n is death by signal n, where n ends processes."""
    deadly = status - 128 in {2, 3, 4, 6, 7, 8, 9, 11, 13, 14, 15, 24, 25, 31}
    return ("signal", status - 128) if deadly else ("exit", status)


def converse(
    target: str, command: Command, connect: Connect, *, password: Secret | None, on_output: OnOutput | None
) -> Outcome:
    """Run one command; when this is left early, by Ctrl-C too, the command has been told to end."""
    run_id = f"ogai{secrets.token_hex(12)}"
    password = password if command.sudo else None
    argv = bootstrap_argv(run_id)
    link = connect(sudo_argv(argv, with_password=password is not None) if command.sudo else argv)
    run = _Run(target, command, link, password, on_output, run_id)
    try:
        run.start()
        return run.to_its_end()
    finally:
        link.close()

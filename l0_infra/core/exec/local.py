"""Run commands on this machine, under the same supervisor as on any other."""

import os
import select
import subprocess
import threading
from types import TracebackType
from typing import Self

from l0_infra.core.exec.command import Command, OnOutput, Outcome, Stream
from l0_infra.core.exec.converse import converse
from l0_infra.core.exec.files import Commanded
from l0_infra.core.exec.secret import Secret

__all__ = ["LocalRunner"]

_CHUNK_BYTES = 256 * 1024
_REAP_S = 0.1


class LocalRunner(Commanded):
    """Runs commands on this machine as this user, or as root with `Command.sudo`."""

    def __init__(self, *, sudo_password: Secret | None = None) -> None:
        self._sudo_password = sudo_password

    @property
    def target(self) -> str:
        """Always `local`."""
        return "local"

    def run(self, command: Command, *, on_output: OnOutput | None = None) -> Outcome:
        """Run a command; see `Runner.run`."""
        return converse(self.target, command, _PipeLink, password=self._sudo_password, on_output=on_output)

    def close(self) -> None:
        """Nothing is held between commands."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _PipeLink:
    """Three pipes to a process in a session of its own, so that the terminal's Ctrl-C does not reach it."""

    def __init__(self, argv: tuple[str, ...]) -> None:
        (read_in, write_in), (read_out, write_out), (read_err, write_err) = os.pipe(), os.pipe(), os.pipe()
        try:
            self._process = subprocess.Popen(
                argv, stdin=read_in, stdout=write_out, stderr=write_err, start_new_session=True
            )
        finally:
            for theirs in (read_in, write_out, write_err):
                os.close(theirs)
        self._input: int | None = write_in
        self._outputs: dict[int, Stream] = {read_out: "stdout", read_err: "stderr"}
        for ours in (write_in, read_out, read_err):
            os.set_blocking(ours, False)

    def send(self, data: memoryview) -> int:
        if self._input is None:
            return len(data)
        try:
            return os.write(self._input, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(data)

    def end_input(self) -> None:
        if self._input is not None:
            os.close(self._input)
            self._input = None

    def wait(self, timeout_s: float, *, to_send: bool) -> None:
        poll = select.poll()
        for output in self._outputs:
            poll.register(output, select.POLLIN)
        if to_send and self._input is not None:
            poll.register(self._input, select.POLLOUT)
        poll.poll(timeout_s * 1000)

    def receive(self) -> list[tuple[Stream, bytes]] | None:
        pieces: list[tuple[Stream, bytes]] = []
        for output, stream in list(self._outputs.items()):
            try:
                data = os.read(output, _CHUNK_BYTES)
            except BlockingIOError:
                continue
            if data:
                pieces.append((stream, data))
            else:
                self._drop(output)
        return pieces if pieces or self._outputs else None

    def _drop(self, output: int) -> None:
        del self._outputs[output]
        os.close(output)

    def close(self) -> None:
        self.end_input()
        for output in list(self._outputs):
            self._drop(output)
        try:
            self._process.wait(timeout=_REAP_S)
        except subprocess.TimeoutExpired:  # it is still ending what it ran; nobody waits for that
            threading.Thread(target=self._process.wait, daemon=True).start()

"""The supervisor's hold on the nursery, the process that has the trainer imported and forks ranks from it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from l3_modeltools.resilience.supervisor.messages import Handles, Instruction, Report, pack, unpack
from l3_modeltools.resilience.supervisor.shared import Shared

__all__ = ["Nursery"]

PROGRAM = "l3_modeltools.training.nursery"
PACKET = 65_536


class Nursery:
    """One nursery; when it is gone, so are its ranks, and another can be made on the same shared memory."""

    def __init__(self, directory: Path, shared: Shared) -> None:
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        handles = Handles(
            channel=theirs.fileno(),
            page=shared.page,
            memory=shared.memory,
            words=shared.words,
            stacks=shared.stacks,
            logs=shared.logs_write,
        )
        words = [sys.executable, "-m", PROGRAM, str(directory), str(os.getpid())]
        self.process = subprocess.Popen(
            [*words, msgspec.json.encode(handles).decode()],
            pass_fds=(theirs.fileno(), *shared.inherited),
            stdin=subprocess.DEVNULL,
            stderr=shared.logs_write[0],
        )
        theirs.close()
        self.channel.setblocking(False)

    def fileno(self) -> int:
        """Return what becomes readable when there is something to `read`."""
        return self.channel.fileno()

    def send(self, instruction: Instruction) -> None:
        """Give an instruction; one to a nursery that is gone is lost, as `read` will tell."""
        try:
            self.channel.send(pack(instruction))
        except (BrokenPipeError, ConnectionResetError):
            return

    def read(self) -> Iterator[Report | None]:
        """Yield what was reported since; None when the nursery is gone."""
        while True:
            try:
                packet = self.channel.recv(PACKET)
            except BlockingIOError:
                return
            except ConnectionResetError:
                packet = b""
            if not packet:
                yield None
                return
            yield unpack(packet)

    def end(self) -> None:
        """End the nursery, and with it its ranks, which the kernel ends when it is gone."""
        self.process.kill()
        self.process.wait()
        self.channel.close()

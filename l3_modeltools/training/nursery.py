"""The trainer imported once, and forked from there for each rank: a restart costs milliseconds instead of an import.

Started by the supervisor as `-m l3_modeltools.training.nursery RUN_DIR PID HANDLES`; single-threaded and without an
open device, so that a fork is as good as a fresh start.
"""

import ctypes
import faulthandler
import gc
import os
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from l3_modeltools.resilience import Heart, LastWord, open_page
from l3_modeltools.resilience.supervisor import (
    Born,
    Died,
    Handles,
    Instruction,
    Kill,
    Ready,
    Report,
    Spawn,
    pack,
    unpack_instruction,
)
from l3_modeltools.training.seat import Seat, flush_output

__all__ = ["main"]

PR_SET_PDEATHSIG = 1
PACKET = 65_536
LIBC = ctypes.CDLL(None, use_errno=True)

BEFORE_IMPORT = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",  # a log is no terminal
    "OPENBLAS_NUM_THREADS": "1",  # no threads before a fork; torch has its own
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # who asks for CUDA does not open it, which a fork could not use
}
"""What libraries read when they are imported."""

SOONER_KILLED = 100
"""Added to a rank's oom_score_adj: a kernel out of memory is to take it rather than its supervisor."""


def main(directory: Path, supervisor: int, handles: Handles) -> None:
    """Import the trainer, then fork ranks as ordered until the supervisor is gone."""
    die_with(supervisor)
    be_called("ogai nursery")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # the ranks hear it, and end when they have saved
    os.environ.update(BEFORE_IMPORT)
    import_trainer()
    gc.collect()
    gc.freeze()  # what is there stays where it is: pages that nobody touches are shared by all ranks
    with socket.socket(fileno=handles.channel) as channel:
        Nursery(directory, handles, channel).run()


def import_trainer() -> None:
    """Import what ranks need at once, among it what they would import on the way."""

    import l3_modeltools.training.session
    import l3_modeltools.training.world  # noqa: F401


class Nursery:
    """Forks ranks and reaps them."""

    def __init__(self, directory: Path, handles: Handles, channel: socket.socket) -> None:
        self.directory, self.handles, self.channel = directory, handles, channel
        self.generation = 0
        self.ranks: dict[int, tuple[int, int]] = {}
        """Pidfd → rank, pid."""

    def run(self) -> None:
        """Obey until the supervisor closes its end; then the ranks end with this process."""
        self.tell(Ready())
        while True:
            poll = select.poll()
            for descriptor in (self.channel.fileno(), *self.ranks):
                poll.register(descriptor, select.POLLIN)
            for descriptor, _ in poll.poll():
                if descriptor != self.channel.fileno():
                    self.reap(descriptor)
                elif packet := self.channel.recv(PACKET):
                    self.obey(unpack_instruction(packet))
                else:
                    return

    def obey(self, instruction: Instruction) -> None:
        match instruction:
            case Spawn():
                self.spawn(instruction)
            case Kill(rank=wanted, signal=number):
                for pidfd, (rank, _) in self.ranks.items():
                    if rank == wanted:
                        with suppress(ProcessLookupError):
                            signal.pidfd_send_signal(pidfd, number)

    def spawn(self, order: Spawn) -> None:
        """Fork every rank and tell who they are."""
        self.generation = order.generation
        pids, nursery = [], os.getpid()
        for rank in range(len(self.handles.words)):
            pid = os.fork()
            if pid == 0:
                be_rank(self.directory, rank, order, self.handles, nursery)
            self.ranks[os.pidfd_open(pid)] = (rank, pid)
            pids.append(pid)
        self.tell(Born(generation=order.generation, pids=tuple(pids)))

    def reap(self, pidfd: int) -> None:
        """Collect a rank that ended, and tell how."""
        rank, pid = self.ranks.pop(pidfd)
        os.close(pidfd)
        _, status = os.waitpid(pid, 0)
        self.tell(Died(generation=self.generation, rank=rank, exit_code=os.waitstatus_to_exitcode(status)))

    def tell(self, report: Report) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # the supervisor is gone, and so are we soon
            self.channel.send(pack(report))


def be_rank(directory: Path, rank: int, order: Spawn, handles: Handles, nursery: int) -> None:
    """Go on as a rank; ends this process."""
    code = 1
    try:
        die_with(nursery)
        be_called(f"ogai rank {rank}")
        become_ordinary(rank, handles)
        ranks = len(handles.words)
        os.environ.update(
            RANK=str(rank),
            WORLD_SIZE=str(ranks),
            LOCAL_RANK=str(rank),
            LOCAL_WORLD_SIZE=str(ranks),
            MASTER_ADDR="127.0.0.1",
            MASTER_PORT=str(order.port),
        )
        code = train(directory, rank, order, handles)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001  the end of this process, whatever ended it
        with suppress(OSError, ValueError):
            traceback.print_exc()
    finally:
        flush_output()
        os._exit(code)


def train(directory: Path, rank: int, order: Spawn, handles: Handles) -> int:
    from l3_modeltools.training.__main__ import main as train_rank

    ranks = len(handles.words)
    seat = Seat(
        rank=rank,
        ranks=ranks,
        local_rank=rank,
        heart=Heart(open_page(handles.page, ranks), rank),
        memory=handles.memory,
        generation=order.generation,
        say=partial(leave_word, handles.words[rank]),
    )
    return train_rank(directory, seat)


def leave_word(descriptor: int, word: LastWord) -> None:
    """Write a last word where the supervisor finds it; the last of several counts."""
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, msgspec.json.encode(word), 0)


def become_ordinary(rank: int, handles: Handles) -> None:
    """Print into this rank's log, and tell stacks when asked or when crashing.

    A wish to end stays ignored until the rank can hear it: the supervisor says it again.
    """
    os.dup2(handles.logs[rank], 1)
    os.dup2(handles.logs[rank], 2)
    os.close(handles.channel)
    faulthandler.enable(file=2)
    faulthandler.register(signal.SIGUSR2, file=handles.stacks[rank], all_threads=True)
    with suppress(OSError, ValueError):
        file = Path("/proc/self/oom_score_adj")
        file.write_text(str(min(1000, int(file.read_text()) + SOONER_KILLED)))


def be_called(name: str) -> None:
    """Be listed under this name, of which 15 characters count, by `ps -o comm`, `top` and `pgrep`."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name)


def die_with(parent: int) -> None:
    """Let the kernel end this process when `parent` ends, who may have done so already."""
    LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), msgspec.json.decode(sys.argv[3], type=Handles))

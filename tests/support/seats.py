"""Ranks of a run as forks of one process that has torch loaded, on seats as a supervisor gives them."""

import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import msgspec
import torch

import l3_modeltools.training.session  # noqa: F401  # loaded before the forks
from l3_modeltools.resilience.ends import LastWord
from l3_modeltools.resilience.heartbeat import Beat, Heart, Pulse, page_bytes
from l3_modeltools.training.__main__ import main
from l3_modeltools.training.seat import Seat
from tests.support.breaks import Break, prepare

__all__ = ["Ended", "Seats"]

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.support.seats"])
PATIENCE_S = 120.0


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a rank ended: its exit code, below zero minus a signal, and what it said."""

    code: int
    word: LastWord | None


class Seats:
    """A supervisor with no judgement: it starts all ranks of a run again and again, in the same memory."""

    def __init__(self, run: Path, ranks: int, *, notes: Path | None = None) -> None:
        """Take the run; log and last words go into `notes`, else into its directory too."""
        self.run, self.ranks, self.generation = run, ranks, -1
        self.notes = run if notes is None else notes
        self.page_file = os.memfd_create("page")
        os.ftruncate(self.page_file, page_bytes(ranks))
        page = mmap.mmap(self.page_file, page_bytes(ranks))
        self.pulses = [Pulse(page, rank) for rank in range(ranks)]
        self.memory = [os.memfd_create(f"memory-{rank}") for rank in range(ranks)]
        self.processes: list[ForkServerProcess] = []

    def __enter__(self) -> "Seats":
        return self

    def __exit__(self, *_: object) -> None:
        for rank in range(len(self.processes)):
            self.kill(rank)
        for process in self.processes:
            process.join()
        for descriptor in (self.page_file, *self.memory):
            os.close(descriptor)

    def start(self, *breaks: Break) -> None:
        """Start a generation, in which some things break."""
        self.generation += 1
        for pulse in self.pulses:
            pulse.clear()
        port = free_port()
        page, memory = reachable(self.page_file), tuple(map(reachable, self.memory))
        self.processes = []
        for rank in range(self.ranks):
            words = (self.run, self.notes, rank, self.ranks, self.generation, port, page, memory, breaks)
            process = CONTEXT.Process(target=be_rank, args=words)
            process.start()
            self.processes.append(process)

    def beat(self, rank: int) -> Beat:
        """Say where a rank is."""
        return self.pulses[rank].look()[0]

    def until(self, ready: Callable[[], bool]) -> None:
        """Wait for something while all ranks live."""
        deadline = time.monotonic() + PATIENCE_S
        while not ready():
            if time.monotonic() > deadline or not all(process.is_alive() for process in self.processes):
                raise TimeoutError(self.log())
            time.sleep(0.0005)

    def kill(self, rank: int, number: int = signal.SIGKILL) -> None:
        """Send a rank a signal."""
        pid = self.processes[rank].pid
        with suppress(ProcessLookupError):
            os.kill(pid or 0, number)

    def wait(self) -> list[Ended]:
        """Wait until all have ended."""
        deadline = time.monotonic() + PATIENCE_S
        for process in self.processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                raise TimeoutError(self.log())
        return [
            Ended(code=process.exitcode or 0, word=self._word(rank))
            for rank, process in enumerate(self.processes)
        ]

    def finish(self) -> None:
        """Start once more, and let it end well."""
        self.start()
        assert [one.code for one in self.wait()] == [0] * self.ranks, self.log()

    def log(self) -> str:
        return (self.notes / "log").read_text()

    def _word(self, rank: int) -> LastWord | None:
        path = word_file(self.notes, self.generation, rank)
        return msgspec.json.decode(path.read_bytes(), type=LastWord) if path.exists() else None


def be_rank(
    run: Path,
    notes: Path,
    rank: int,
    ranks: int,
    generation: int,
    port: int,
    page: str,
    memory: tuple[str, ...],
    breaks: tuple[Break, ...],
) -> None:
    """Take a seat and train; in a process of its own."""
    os.environ |= {
        "RANK": str(rank),
        "WORLD_SIZE": str(ranks),
        "LOCAL_RANK": str(rank),
        "LOCAL_WORLD_SIZE": str(ranks),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }
    log = os.open(notes / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    torch.set_num_threads(1)
    seat = Seat(
        rank=rank,
        ranks=ranks,
        local_rank=rank,
        heart=Heart(mmap.mmap(os.open(page, os.O_RDWR), page_bytes(ranks)), rank),
        memory=tuple(os.open(path, os.O_RDWR) for path in memory),
        generation=generation,
        say=lambda word: say(word_file(notes, generation, rank), word),
    )
    for one in breaks:
        if one.rank == rank:
            prepare(one, seat)
    code = main(run, seat)
    sys.stdout.flush()
    os._exit(code)


def say(path: Path, word: LastWord) -> None:
    path.write_bytes(msgspec.json.encode(word))


def word_file(notes: Path, generation: int, rank: int) -> Path:
    return notes / f"word-{generation}-{rank}"


def reachable(descriptor: int) -> str:
    """Name a file of this process for others."""
    return f"/proc/{os.getpid()}/fd/{descriptor}"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])

"""Processes that do the tasks of a prepare; none outlives the one that started them, however that ends."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Self

import msgspec

from l0_infra.core.errors import EngineError
from l3_modeltools.data.prepare.messages import Answer, Done, Failed, Task, raised

__all__ = ["Crew", "ask"]

PROGRAM = "l3_modeltools.data.prepare.worker"
Results = SimpleQueue[Answer | EngineError]


class Crew:
    """The processes of one prepare, kept from stage to stage while as many are wanted.

    Each inherits the descriptor `lock`, so that the lock is held until the last of them is gone.
    """

    def __init__(self, directory: Path, *, workers: int, lock: int) -> None:
        self.directory = directory
        self.workers = workers
        self.lock = lock
        self.processes: Sequence[subprocess.Popen[bytes]] = ()
        self.threads: Sequence[threading.Thread] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()

    def do(self, tasks: Sequence[Task]) -> Iterator[Done]:
        """Do tasks, each in one process, and yield each as it is done.

        Raises the first task's failure, EngineError when a process dies.
        """
        waiting: SimpleQueue[Task | None] = SimpleQueue()
        results: Results = SimpleQueue()
        self._gather(min(self.workers, len(tasks)))
        for task in (*tasks, *(None for _ in self.processes)):
            waiting.put(task)
        self.threads = [
            threading.Thread(target=_attend, args=(process, waiting, results), daemon=True)
            for process in self.processes
        ]
        for thread in self.threads:
            thread.start()
        for _ in tasks:
            yield _done(results.get())

    def _gather(self, count: int) -> None:
        """Have `count` processes: one alone may use every core, several use one each."""
        if len(self.processes) != count:
            self._end()
            threads = 1 if count > 1 else self.workers
            self.processes = [_start(self.directory, self.lock, threads=threads) for _ in range(count)]

    def _end(self) -> None:
        for process in self.processes:
            process.kill()
        for thread in self.threads:
            thread.join()
        for process in self.processes:
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(BrokenPipeError):  # a task that a dead worker never read
                    if stream:
                        stream.close()
        self.processes = self.threads = ()


def _start(directory: Path, lock: int, *, threads: int) -> "subprocess.Popen[bytes]":
    """Start a worker that imports what this process would, and whose tokenizer takes no more than its share."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false",
        "RAYON_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }
    return subprocess.Popen(
        [sys.executable, "-m", PROGRAM, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        pass_fds=(lock,),
    )


def _attend(
    process: "subprocess.Popen[bytes]", waiting: "SimpleQueue[Task | None]", results: Results
) -> None:
    """Give one worker a task after the other and pass its answers on."""
    while (task := waiting.get()) is not None:
        answer = ask(process, task)
        results.put(answer)
        if not isinstance(answer, Done):
            return


def ask(process: "subprocess.Popen[bytes]", task: Task) -> Answer | EngineError:
    """Give a worker a task and wait for its answer; its death is one, also amid a line."""
    if process.stdin is None or process.stdout is None:
        raise ValueError("a worker is started with pipes")
    try:
        process.stdin.write(msgspec.json.encode(task) + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except BrokenPipeError:
        line = b""
    if not line.endswith(b"\n"):
        return _death(process.wait())
    return msgspec.json.decode(line, type=Answer)


def _death(code: int) -> EngineError:
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    hint = "what was done so far stands: the same command goes on from there"
    if code == -signal.SIGKILL:
        hint = f"the kernel kills so when memory is short: try fewer --workers; {hint}"
    return EngineError(
        "a worker of prepare", found=f"its end by {how}", expected="an answer", hint=hint, retry=True
    )


def _done(answer: Answer | EngineError) -> Done:
    if isinstance(answer, Failed):
        raise raised(answer)
    if isinstance(answer, EngineError):
        raise answer
    return answer

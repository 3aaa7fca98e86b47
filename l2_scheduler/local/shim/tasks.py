"""The tasks of a job as processes: forked together, each its own session, all dying with the shim."""

from __future__ import annotations

import fcntl
import os
import signal

from l2_scheduler.local.shim.child import ADMITTED, ALL_SIGNALS, Program, become_task, describe_trouble

PIPE_BYTES = 1 << 18


class Task:
    """One task: its process, the read end of its output, and how it ended."""

    def __init__(self, rank: int, pid: int, output: int) -> None:
        """Take a task that was just forked."""
        self.rank = rank
        self.pid = pid
        self.output = output
        self.exit_code: int | None = None
        self.signal: int | None = None

    @property
    def ended(self) -> bool:
        """Whether its process was reaped."""
        return self.exit_code is not None or self.signal is not None

    @property
    def failed(self) -> bool:
        """Whether it ended, and not with exit code 0."""
        return self.signal is not None or bool(self.exit_code)

    def take_status(self, status: int) -> None:
        """Note how the process ended, from the status of `wait`."""
        if os.WIFSIGNALED(status):
            self.signal = os.WTERMSIG(status)
        else:
            self.exit_code = os.WEXITSTATUS(status)


class Gang:
    """All tasks, forked and waiting for `release`; `trouble` says why a program could not be started."""

    def __init__(self, program: Program, environments: list[dict[str, str]]) -> None:
        """Fork one process per environment; raises OSError when the machine has no room for them."""
        self._program = program
        self._gate, self._opener = os.pipe()
        self._report, self._reporter = os.pipe()
        os.set_blocking(self._report, False)
        self.tasks: list[Task] = []
        try:
            for rank, environment in enumerate(environments):
                self.tasks.append(self._fork(rank, environment))
        except OSError:
            self._dismiss()
            raise

    def release(self) -> None:
        """Let all tasks run their program."""
        os.write(self._opener, ADMITTED * len(self.tasks))
        os.close(self._gate)
        os.close(self._opener)
        os.close(self._reporter)

    def trouble(self) -> str:
        """Return why the program of a task that ended never ran, as a sentence; empty if it did."""
        try:
            report = os.read(self._report, 4096).decode()
        except BlockingIOError:
            return ""
        return describe_trouble(self._program, report)

    def _fork(self, rank: int, environment: dict[str, str]) -> Task:
        read, write = os.pipe()
        os.set_blocking(read, False)
        _widen(read)
        parent = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, ALL_SIGNALS)
        try:
            pid = os.fork()
            if pid == 0:
                os.close(self._opener)
                ends = {"gate": self._gate, "output": write, "reporter": self._reporter}
                become_task(self._program, environment, parent=parent, **ends)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.close(write)
        return Task(rank, pid, read)

    def _dismiss(self) -> None:
        os.close(self._opener)
        for task in self.tasks:
            os.waitpid(task.pid, 0)


def warn_group(task: Task, number: int) -> None:
    """Signal the process group of a task that has not been reaped."""
    try:
        os.killpg(task.pid, number)
    except (ProcessLookupError, PermissionError):  # not yet a group of its own; wholly another user's
        return


def _widen(pipe: int) -> None:
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except OSError:  # the user's share of pipe memory is used up: the default size does as well
        return

"""The tasks of a job as processes: forked together, each its own session, all dying with the shim."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource
import signal

from l2_scheduler.local.shim.proc import read_small

PIPE_BYTES = 1 << 18

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_OOM_SCORE = 200
_CANNOT_RUN = 126
_NO_SUCH_PROGRAM = 127

_ALL_SIGNALS = signal.valid_signals()
_libc = ctypes.CDLL(None, use_errno=True)


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

    def __init__(
        self,
        command: list[str],
        directory: str,
        environments: list[dict[str, str]],
        file_limits: tuple[int, int],
    ) -> None:
        """Fork one process per environment; raises OSError when the machine has no room for them."""
        self._command = command
        self._directory = directory
        self._file_limits = file_limits
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
        os.write(self._opener, b"." * len(self.tasks))
        os.close(self._gate)
        os.close(self._opener)
        os.close(self._reporter)

    def trouble(self, task: Task) -> str:
        """Return why the program of a task never ran, as a sentence; empty if it ran."""
        try:
            report = os.read(self._report, 4096).decode()
        except BlockingIOError:
            return ""
        number, _, step = report.partition("\n")[0].partition(" ")
        why = os.strerror(int(number)) if number else ""
        if step == "directory":
            return f"the working directory {self._directory} cannot be entered: {why}"
        return f"the program {self._command[0]} cannot be run: {why}" if why else ""

    def _dismiss(self) -> None:
        os.close(self._opener)
        for task in self.tasks:
            os.waitpid(task.pid, 0)

    def _fork(self, rank: int, environment: dict[str, str]) -> Task:
        read, write = os.pipe()
        os.set_blocking(read, False)
        _widen(read)
        parent = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, _ALL_SIGNALS)
        try:
            pid = os.fork()
            if pid == 0:
                self._become(parent, write, environment)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.close(write)
        return Task(rank, pid, read)

    def _become(self, parent: int, output: int, environment: dict[str, str]) -> None:
        step = "start"
        code = _CANNOT_RUN
        try:
            os.setsid()
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent or not self._admitted():
                return
            _default_signals()
            _connect(output)
            resource.setrlimit(resource.RLIMIT_NOFILE, self._file_limits)
            step = "directory"
            os.chdir(self._directory)
            step = "program"
            _execute(self._command, environment)
        except OSError as error:
            if step == "program" and error.errno in (errno.ENOENT, errno.ENOTDIR):
                code = _NO_SUCH_PROGRAM
            os.write(self._reporter, f"{error.errno} {step}\n".encode())
        finally:
            os._exit(code)

    def _admitted(self) -> bool:
        os.close(self._opener)
        return os.read(self._gate, 1) == b"."


def allow_all_files() -> tuple[int, int]:
    """Let this process have all files open that it may, there being three a task; return the old limits."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    return limits


def become_subreaper() -> None:
    """Have every orphan among the descendants handed to this process, and nobody lost."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)


def warn_group(task: Task, number: int) -> None:
    """Signal the process group of a task that has not been reaped."""
    try:
        os.killpg(task.pid, number)
    except (ProcessLookupError, PermissionError):  # not yet a group of its own; wholly another user's
        return


def raise_oom_score(tasks: list[Task]) -> None:
    """Have the kernel, when memory runs out, choose a task before its shim."""
    score = str(min(1000, int(read_small("/proc/self/oom_score_adj") or 0) + _OOM_SCORE))
    for task in tasks:
        try:
            with open(f"/proc/{task.pid}/oom_score_adj", "w") as file:
                file.write(score)
        except OSError:  # a sandbox that hides it
            return


def prctl(option: int, value: int) -> None:
    """Call `prctl(2)`; raises OSError."""
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _execute(command: list[str], environment: dict[str, str]) -> None:
    """Become a program, found as a shell finds it; raises OSError. `os.execvpe` would import first."""
    name = command[0]
    if "/" in name:
        os.execve(name, command, environment)
    trouble: OSError = FileNotFoundError(errno.ENOENT, "not on the path")
    for place in environment.get("PATH", os.defpath).split(":"):
        try:
            os.execve(f"{place or '.'}/{name}", command, environment)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as error:
            trouble = error
    raise trouble


def _default_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in _ALL_SIGNALS - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _connect(output: int) -> None:
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)


def _widen(pipe: int) -> None:
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except OSError:  # the user's share of pipe memory is used up: the default size does as well
        return

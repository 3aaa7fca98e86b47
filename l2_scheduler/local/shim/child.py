"""What a forked child does on its way to being a task: cut loose, wait for the gang, run the program."""

from __future__ import annotations

import errno
import os
import resource
import signal

from l2_scheduler.local.shim.kernel import die_with_parent

ALL_SIGNALS = signal.valid_signals()
ADMITTED = b"."

_CANNOT_RUN = 126
_NO_SUCH_PROGRAM = 127


class Program:
    """What all tasks run, where, with which file mode mask (None: ours) and which limits."""

    def __init__(
        self, command: list[str], directory: str, *, umask: int | None, limits: dict[int, tuple[int, int]]
    ) -> None:
        """Take the argv, an absolute directory, and by resource number the soft and hard limits."""
        self.command = command
        self.directory = directory
        self.umask = umask
        self.limits = limits


def become_task(
    program: Program, environment: dict[str, str], *, parent: int, gate: int, output: int, reporter: int
) -> None:
    """Run the program once `gate` admits it, or write `errno step` to `reporter`; never returns.

    Called with all signals blocked. Standard output and error go to `output`, standard input is empty.
    """
    step = "start"
    code = _CANNOT_RUN
    try:
        os.setsid()
        die_with_parent()
        if os.getppid() != parent or os.read(gate, 1) != ADMITTED:
            return
        _default_signals()
        _connect(output)
        _inherit(program)
        step = "directory"
        os.chdir(program.directory)
        step = "program"
        _execute(program.command, environment)
    except OSError as error:
        if step == "program" and error.errno in (errno.ENOENT, errno.ENOTDIR):
            code = _NO_SUCH_PROGRAM
        os.write(reporter, f"{error.errno} {step}\n".encode())
    finally:
        os._exit(code)


def describe_trouble(program: Program, report: str) -> str:
    """Say in a sentence what the first line of reports means; empty for none."""
    number, _, step = report.partition("\n")[0].partition(" ")
    if not number:
        return ""
    why = os.strerror(int(number))
    if step == "directory":
        return f"the working directory {program.directory} cannot be entered: {why}"
    return f"the program {program.command[0]} cannot be run: {why}"


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


def _inherit(program: Program) -> None:
    """Take on mask and limits; where this process may less than the shell did, it takes the most it may."""
    if program.umask is not None:
        os.umask(program.umask)
    for number, wanted in program.limits.items():
        _, most = resource.getrlimit(number)
        try:
            resource.setrlimit(number, wanted)
        except (OSError, ValueError):
            resource.setrlimit(number, (min(wanted[0], most, key=_room), most))


def _room(limit: int) -> float:
    return float("inf") if limit == resource.RLIM_INFINITY else limit


def _default_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in ALL_SIGNALS - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _connect(output: int) -> None:
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)

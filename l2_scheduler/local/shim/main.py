"""The life of a shim: claim the attempt, start its tasks, keep them, publish the outcome."""

from __future__ import annotations

import os
import resource
import signal
import time

from l2_scheduler.local.shim import EXIT_DONE, EXIT_REFUSED, EXIT_TRY_AGAIN
from l2_scheduler.local.shim.child import Program
from l2_scheduler.local.shim.control import Control
from l2_scheduler.local.shim.files import (
    Refused,
    append_event,
    claim_attempt,
    open_control,
    publish_outcome,
    reserve_outcome,
    ring,
    write_identity,
)
from l2_scheduler.local.shim.keeper import Keeper
from l2_scheduler.local.shim.kernel import allow_all_files, become_subreaper, raise_oom_score
from l2_scheduler.local.shim.launch import Launch, Shell, read_launch, read_shell, task_environment
from l2_scheduler.local.shim.logs import TaskLog
from l2_scheduler.local.shim.memory import Cgroup, make_cgroup
from l2_scheduler.local.shim.outcome import Outcome, outcome_of
from l2_scheduler.local.shim.pump import Pump
from l2_scheduler.local.shim.tasks import Gang

_IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGUSR1, signal.SIGUSR2)


def main(attempt_dir: str, claim_fd: int) -> int:
    """Run the attempt in `attempt_dir`, holding `claim_fd` (-1: none) open in every process of it."""
    _close_others(claim_fd)
    signals = _take_signals()
    os.chdir(attempt_dir)
    try:
        lock = claim_attempt()
        launch = read_launch()
        become_subreaper()
        control = Control(open_control())
        reserved = reserve_outcome(launch.tasks)
        started_at = time.time()
        write_identity(started_at)
    except Refused as refusal:
        _complain(str(refusal))
        return EXIT_REFUSED
    except (OSError, ValueError, KeyError) as error:
        _complain(f"nothing was started: {error!r}")
        return EXIT_TRY_AGAIN
    ring(launch.bell)
    outcome = _run(launch, control, signals).document(started_at)
    publish_outcome(reserved, outcome)
    append_event(launch, "ended", state=outcome["state"], reason=outcome["reason"])
    os.close(lock)  # from here on the outcome counts
    ring(launch.bell)
    return EXIT_DONE


def _run(launch: Launch, control: Control, signals: int) -> Outcome:
    begun = time.monotonic()
    try:
        file_limits = allow_all_files()
        logs = _open_logs(launch)
        shell = read_shell(launch)
        limits = {resource.RLIMIT_NOFILE: file_limits, **shell.limits}
        program = Program(launch.command, launch.directory, umask=shell.umask, limits=limits)
        gang = Gang(program, _environments(launch, shell))
    except (OSError, ValueError, KeyError) as error:
        return Outcome("FAILED", f"the job could not be started: {error}")
    cgroup = _confine(launch, gang)
    for task in gang.tasks:
        raise_oom_score(task.pid)
    pump = Pump({task.output: log for task, log in zip(gang.tasks, logs, strict=True)})
    keeper = Keeper(launch, gang, pump=pump, control=control, signals=signals, cgroup=cgroup)
    append_event(launch, "started", tasks=launch.tasks)
    keeper.run()
    if cgroup:
        cgroup.remove()
    lost = sum(log.lost for log in logs)
    return outcome_of(keeper, gang.tasks, elapsed_s=time.monotonic() - begun, lost_log_bytes=lost)


def _open_logs(launch: Launch) -> list[TaskLog]:
    now = time.time()
    size, keep = launch.rotate_bytes, launch.keep_logs
    return [TaskLog(rank, rotate_bytes=size, keep=keep, at=now) for rank in range(launch.tasks)]


def _environments(launch: Launch, shell: Shell) -> list[dict[str, str]]:
    return [task_environment(launch, shell.environment, rank, os.getcwd()) for rank in range(launch.tasks)]


def _confine(launch: Launch, gang: Gang) -> Cgroup | None:
    if launch.memory_limit_bytes is None:
        return None
    cgroup = make_cgroup(
        f"ogai-{launch.job_id}-{launch.attempt}-{launch.token[:8]}", launch.memory_limit_bytes
    )
    if cgroup is None:
        return None
    try:
        for task in gang.tasks:
            cgroup.add(task.pid)
    except OSError:
        cgroup.remove()
        return None
    return cgroup


def _complain(text: str) -> None:
    """Write to `shim.log`, where there is room for it."""
    try:
        os.write(2, text.encode() + b"\n")
    except OSError:
        return


def _take_signals() -> int:
    """Ignore what a terminal may send, and have SIGTERM and SIGCHLD arrive as bytes in the pipe returned."""
    wake, waker = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda _number, _frame: None)
    return wake


def _close_others(kept: int) -> None:
    """Close what was inherited by mistake, so that no task holds it; `kept` goes on to the tasks."""
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 2 and fd != kept:
            _try_close(fd)


def _try_close(fd: int) -> None:
    try:
        os.close(fd)
    except OSError:  # the descriptor that listed them
        return

"""Carry out one step that is no role on its node: run a command, write a file, wait for something, boot anew."""

import contextlib
import time
from collections.abc import Callable

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Command, Runner
from l0_infra.schemas import ApplyRole, Reboot, RunCommand, Step, WaitFor, WriteFile

__all__ = ["act"]

BOOT_ID = Command(argv=("cat", "/proc/sys/kernel/random/boot_id"), deadline_s=20.0)
REBOOT_EVERY_S = 5.0

Sleep = Callable[[float], None]
Clock = Callable[[], float]


def act(
    step: Step, runner: Runner, *, sudo: bool, sleep: Sleep = time.sleep, clock: Clock = time.monotonic
) -> None:
    """Do what the step says; raises RemoteError when it fails."""
    match step.action:
        case RunCommand(argv=argv, deadline_s=deadline_s):
            runner.run(Command(argv=argv, deadline_s=deadline_s, sudo=sudo)).check()
        case WriteFile(path=path, content=content, mode=mode):
            runner.put(content.encode(), path, mode=int(mode, 8), sudo=sudo)
        case WaitFor() as wait:
            _wait(wait, runner, sudo, sleep, clock)
        case Reboot(deadline_s=deadline_s):
            _reboot(runner, deadline_s, sudo, sleep, clock)
        case ApplyRole(role=role):
            raise TypeError(f"{step.id}: the role {role} is for ansible-playbook")


def _wait(wait: WaitFor, runner: Runner, sudo: bool, sleep: Sleep, clock: Clock) -> None:
    end = clock() + wait.deadline_s
    command = Command(argv=wait.argv, deadline_s=wait.deadline_s, sudo=sudo)
    while not (outcome := runner.run(command)).ok:
        if clock() + wait.every_s > end:
            outcome.check(hint=f"waited for it for {wait.deadline_s:g} s")
        sleep(wait.every_s)


def _reboot(runner: Runner, deadline_s: float, sudo: bool, sleep: Sleep, clock: Clock) -> None:
    before = runner.run(BOOT_ID).check().stdout
    end = clock() + deadline_s
    shutdown = Command(argv=("systemctl", "reboot"), deadline_s=20.0, sudo=sudo)
    with contextlib.suppress(RemoteError):  # the connection may go before the answer comes
        runner.run(shutdown)
    while clock() < end:
        sleep(REBOOT_EVERY_S)
        try:
            now = runner.run(BOOT_ID)
        except RemoteError:
            continue
        if now.ok and now.stdout != before:
            return
    raise RemoteError(
        runner.target,
        found=f"no new boot after {deadline_s:g} s",
        expected="the node to come back",
        retry=True,
    )

"""Steps that are no roles, on scripted hosts."""

from collections.abc import Iterator

import pytest

from l0_infra.apply.act import act
from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Answer, Command, ScriptedRunner
from l0_infra.schemas import Reboot, RunCommand, Step, WaitFor, WriteFile
from l0_infra.schemas.plan import Action

BOOT_ID = ("cat", "/proc/sys/kernel/random/boot_id")


def a_step(action: Action) -> Step:
    return Step(id="n1:x", node="n1", reason="r", action=action, key="k")


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_a_command_that_fails_is_an_error_with_its_words() -> None:
    runner = ScriptedRunner().answer(("fails",), Answer(exit_code=3, stderr="no disk"))
    with pytest.raises(RemoteError, match="no disk"):
        act(a_step(RunCommand(argv=("fails",))), runner, sudo=True)
    assert runner.calls[0].sudo


def test_a_file_is_put_whole_with_its_mode() -> None:
    runner = ScriptedRunner()
    act(a_step(WriteFile(path="/etc/x", content="text", mode="0600")), runner, sudo=False)
    assert (runner.files["/etc/x"], runner.modes["/etc/x"]) == (b"text", 0o600)


def test_a_wait_ends_with_the_first_success_or_its_deadline() -> None:
    clock, codes = Clock(), iter((1, 1, 0))
    runner = ScriptedRunner().answer(("ready",), lambda _: Answer(exit_code=next(codes)))
    wait = WaitFor(argv=("ready",), every_s=5.0, deadline_s=60.0)
    act(a_step(wait), runner, sudo=False, sleep=clock.sleep, clock=clock)
    assert clock.now == 10.0
    runner.answer(("ready",), Answer(exit_code=1))
    with pytest.raises(RemoteError):
        act(a_step(wait), runner, sudo=False, sleep=clock.sleep, clock=clock)
    assert clock.now == 10.0 + 60.0


def boots(*answers: Answer) -> Iterator[Answer]:
    yield from answers


def test_a_reboot_is_over_when_another_boot_answers() -> None:
    clock = Clock()
    gone = Answer(error=RemoteError("n1", found="no route", expected="an answer"))
    answers = boots(Answer(stdout="a"), Answer(stdout="a"), gone, Answer(stdout="b"))
    runner = ScriptedRunner().answer(BOOT_ID, lambda _: next(answers)).answer(("systemctl", "reboot"), gone)
    act(a_step(Reboot(deadline_s=100.0)), runner, sudo=True, sleep=clock.sleep, clock=clock)
    assert clock.now == 15.0


def test_a_node_that_does_not_come_back_is_told() -> None:
    clock = Clock()
    runner = ScriptedRunner().answer(lambda command: isinstance(command, Command), Answer(stdout="a"))
    with pytest.raises(RemoteError, match="no new boot after 100 s"):
        act(a_step(Reboot(deadline_s=100.0)), runner, sudo=True, sleep=clock.sleep, clock=clock)

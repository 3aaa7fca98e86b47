"""The look at what roles left: what is asked, what a real shell answers, what is read from it."""

import stat
from pathlib import Path

import pytest

from l0_infra.core.errors import EngineError
from l0_infra.core.exec import LocalRunner
from l0_infra.roles import UNTOLD, Item, Look, items_of, look_command, parse_look
from l0_infra.schemas import Outcome


def test_variables_are_put_into_an_outcome() -> None:
    outcome = Outcome(
        files=("/etc/fixed", "{x_path}/conf", "{x_more}"),
        services=("{x_service}",),
        packages=("{x_packages}", "{x_none}"),
        commands=("sysctl -n {x_key}", "awk '{ print $1 }' /proc/loadavg"),
    )
    variables = {
        "x_path": '"/opt/x"',
        "x_more": '["/a", "/b"]',
        "x_service": '""',
        "x_packages": '["p", "q"]',
        "x_none": "[]",
        "x_key": '"vm.swappiness"',
    }
    assert items_of(outcome, variables) == (
        Item("file", "/etc/fixed"),
        Item("file", "/opt/x/conf"),
        Item("file", "/a"),
        Item("file", "/b"),
        Item("package", "p"),
        Item("package", "q"),
        Item("command", "sysctl -n vm.swappiness"),
        Item("command", "awk '{ print $1 }' /proc/loadavg"),
    )


def test_a_variable_that_the_role_lacks_is_refused() -> None:
    with pytest.raises(EngineError, match="the variable `x_gone`"):
        items_of(Outcome(files=("{x_gone}",)), {})


def test_a_real_shell_tells_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("text")
    (tmp_path / "a file").chmod(0o640)
    items = [
        Item("file", f"{tmp_path}/a file"),
        Item("file", f"{tmp_path}/none"),
        Item("file", str(tmp_path)),
        Item("command", "printf 'one\\ntwo\\tthree\\n'"),
        Item("command", "exit 3"),
        Item("package", "no-such-package"),
    ]
    with LocalRunner() as runner:
        look = parse_look(runner.run(look_command(items, sudo=False)).check().stdout)
    assert look is not None
    mode, user, group, digest = look.found[items[0]].split()
    assert mode == "640" and len(digest) == 64 and user and group
    assert look.of(items[1:]) == {
        f"file {tmp_path}/none": "absent",
        f"file {tmp_path}": f"{stat.S_IMODE(tmp_path.stat().st_mode):o} {user} {group} directory",
        "command printf 'one\\ntwo\\tthree\\n'": "one\ntwo three",
        "command exit 3": "",
        "package no-such-package": "absent",
    }


def test_a_look_that_was_cut_off_is_none() -> None:
    assert parse_look("file\t/a\t644 root root 00\n") is None
    assert parse_look("") is None
    assert parse_look("end\n") == Look()


def test_faults_are_what_cannot_be_right() -> None:
    found = {
        Item("service", "a.service"): "active enabled",
        Item("service", "b.service"): "failed enabled",
        Item("service", "c.service"): "active disabled",
        Item("service", "d.timer"): "active static",
        Item("package", "p"): "config-files 1.0",
        Item("package", "q"): "installed 1.0",
        Item("command", "true"): "",
    }
    asked = (*found, Item("file", "/gone"))
    assert list(Look(found=found).faults(asked)) == [
        "service b.service is failed enabled",
        "service c.service is active disabled",
        "package p is config-files",
        "file /gone is absent",
    ]


def test_a_command_that_cannot_tell_now_says_so() -> None:
    items = [
        Item("command", "echo half; exit 75"),
        Item("command", "exit 75"),
        Item("command", "echo 75; exit 74"),
    ]
    with LocalRunner() as runner:
        look = parse_look(runner.run(look_command(items, sudo=False)).check().stdout)
    assert look is not None
    assert [look.found[item] for item in items] == [UNTOLD, UNTOLD, "75"]

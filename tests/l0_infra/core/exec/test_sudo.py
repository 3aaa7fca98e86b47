import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Command, Secret, SshRunner
from l0_infra.core.exec.sudo import judge_sudo, password_refused, sudo_argv

HOST = "127.0.0.1"
WHO = Command(
    argv=("sh", "-c", "id -u; cat; echo $KEY"), env={"KEY": Secret("k3y")}, stdin=b"input\n", sudo=True
)


@pytest.mark.parametrize(
    ("said", "found", "hint"),
    [
        ("sudo: a password is required", "asks for a password", "NOPASSWD"),
        ("sudo: a terminal is required to read the password", "asks for a password", "NOPASSWD"),
        ("Sorry, try again.\nsudo: no password was provided", "refuses", "password of the user"),
        ("sudo: 3 incorrect password attempts", "refuses", "password of the user"),
        ("eve is not in the sudoers file.  This incident will be reported.", "may not use sudo", "usermod"),
        ("Sorry, user eve is not allowed to execute '/bin/sh' as root on n1.", "may not use sudo", "usermod"),
        ("Sorry, user eve may not run sudo on n1.", "may not use sudo", "usermod"),
        ("env: 'sudo': No such file or directory", "no sudo", "install sudo"),
        ("env: can't execute 'sudo': No such file or directory", "no sudo", "install sudo"),
    ],
)
def test_what_sudo_says_is_understood(said: str, found: str, hint: str) -> None:
    error = judge_sudo("n1", said)
    assert error is not None
    assert found in error.found
    assert hint in error.hint
    assert error.where == "n1: sudo"


def test_what_is_not_from_sudo_is_left_to_others() -> None:
    assert judge_sudo("n1", "motd of the day") is None


def test_only_a_refusal_is_a_refusal() -> None:
    assert password_refused(b"Sorry, try again.\n")
    assert not password_refused(b"We trust you have received the usual lecture\n")


def test_without_a_password_sudo_may_not_ask() -> None:
    assert sudo_argv(("id",), with_password=False) == ("env", "LC_ALL=C", "sudo", "-n", "--", "id")
    assert "-S" in sudo_argv(("id",), with_password=True)


@pytest.fixture(scope="module")
def user(wait_until: Callable[..., None]) -> Iterator[tuple[str, Secret]]:
    """A local user with a password, who goes when the tests end."""
    if os.geteuid() != 0 or shutil.which("useradd") is None or shutil.which("sudo") is None:
        pytest.skip("needs root, useradd and sudo (Debian: passwd, sudo)")
    name, password = f"ogai-{secrets.token_hex(4)}", secrets.token_urlsafe(12)
    subprocess.run(["useradd", "--create-home", "--shell", "/bin/sh", name], check=True)
    try:
        subprocess.run(["chpasswd"], input=f"{name}:{password}", text=True, check=True)
        yield name, Secret(password)
    finally:
        Path(f"/etc/sudoers.d/{name}").unlink(missing_ok=True)
        remove = ["userdel", "--remove", name]  # is refused while the last login still ends
        wait_until(lambda: subprocess.run(remove, capture_output=True).returncode == 0, "the user stays")


@pytest.fixture
def allow(user: tuple[str, Secret]) -> Callable[[str], None]:
    """Return a function that writes the user's sudoers rule; none when empty."""

    def write(rule: str) -> None:
        file = Path(f"/etc/sudoers.d/{user[0]}")
        file.unlink(missing_ok=True)
        if rule:
            file.write_text(
                f"Defaults:{user[0]} !lecture, passwd_tries=3, timestamp_timeout=0\n{user[0]} {rule}\n"
            )
            file.chmod(0o440)

    return write


@pytest.fixture
def login(sshd: Any, user: tuple[str, Secret]) -> Callable[[Secret | None], SshRunner]:
    """Return a function that gives a runner of the user with a sudo password."""
    home = Path(f"~{user[0]}").expanduser()
    (home / ".ssh").mkdir(exist_ok=True)
    shutil.copy(f"{sshd.key}.pub", home / ".ssh" / "authorized_keys")
    return lambda password: SshRunner(HOST, sshd.options(user=user[0], sudo_password=password))


real = pytest.mark.real
LOGIN = Callable[[Secret | None], SshRunner]
ALLOW = Callable[[str], None]


@real
def test_sudo_with_a_password(user: tuple[str, Secret], login: LOGIN, allow: ALLOW) -> None:
    allow("ALL=(ALL) ALL")
    with login(user[1]) as runner:
        assert runner.run(Command(argv=("id", "-un"))).stdout == f"{user[0]}\n"
        outcome = runner.run(WHO)
        assert (outcome.stdout, outcome.stderr) == ("0\ninput\nk3y\n", "")


@real
def test_a_password_that_is_not_asked_for_goes_nowhere(
    user: tuple[str, Secret], login: LOGIN, allow: ALLOW
) -> None:
    allow("ALL=(ALL) NOPASSWD: ALL")
    with login(user[1]) as runner:
        assert runner.run(WHO).stdout == "0\ninput\nk3y\n"


@real
def test_sudo_without_a_password(login: LOGIN, allow: ALLOW) -> None:
    allow("ALL=(ALL) NOPASSWD: ALL")
    with login(None) as runner:
        assert runner.run(WHO).stdout == "0\ninput\nk3y\n"


@real
@pytest.mark.parametrize(
    ("rule", "password", "found"),
    [
        ("ALL=(ALL) ALL", Secret("wrong"), "a password that sudo refuses"),
        ("ALL=(ALL) ALL", None, "sudo that asks for a password"),
        ("", "own", "a user who may not use sudo"),
        ("ALL=(ALL) /bin/true", "own", "a user who may not use sudo"),
    ],
)
def test_a_refusal_is_told_with_its_mend(
    user: tuple[str, Secret], login: LOGIN, allow: ALLOW, rule: str, password: Secret | str | None, found: str
) -> None:
    allow(rule)
    given = user[1] if isinstance(password, str) else password
    with login(given) as runner, pytest.raises(RemoteError) as caught:
        runner.run(WHO)
    assert caught.value.found == found
    assert caught.value.hint


@real
@pytest.mark.parametrize("pty", ["", "Defaults use_pty\n"])
def test_a_deadline_ends_what_root_runs(
    user: tuple[str, Secret],
    login: LOGIN,
    allow: ALLOW,
    mark: str,
    processes_with: Callable[[str], list[int]],
    pty: str,
) -> None:
    allow(f"ALL=(ALL) NOPASSWD: ALL\n{pty}")
    script = f"setsid sleep {mark} & sleep {mark}"
    with login(None) as runner:
        outcome = runner.run(Command(argv=("sh", "-c", script), sudo=True, deadline_s=0.5))
    assert outcome.ended_by == "deadline"
    assert processes_with(f"sleep\0{mark}") == []


@real
def test_files_of_root_are_put_and_got(
    user: tuple[str, Secret], login: LOGIN, allow: ALLOW, tmp_path: Path
) -> None:
    allow("ALL=(ALL) ALL")
    tmp_path.chmod(0o700)
    with login(user[1]) as runner:
        with pytest.raises(RemoteError, match="Permission denied"):
            runner.put(b"x", str(tmp_path / "file"))
        runner.put(b"root's", str(tmp_path / "file"), mode=0o600, sudo=True)
        assert runner.get(str(tmp_path / "file"), sudo=True) == b"root's"
    status = (tmp_path / "file").stat()
    assert (status.st_uid, status.st_mode & 0o777) == (0, 0o600)

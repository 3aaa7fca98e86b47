"""How a command becomes root, and what sudo means when it refuses."""

import re

from l0_infra.core.errors import RemoteError

__all__ = ["judge_sudo", "password_refused", "sudo_argv"]

_REFUSED = re.compile(rb"try again|incorrect password", re.IGNORECASE)

_VERDICTS: tuple[tuple[str, str, str, str], ...] = (
    (
        r"try again|incorrect password|no password was provided",
        "a password that sudo refuses",
        "the right password of this user",
        "give the password of the user who logs in, not root's",
    ),
    (
        r"a password is required|a terminal is required",
        "sudo that asks for a password",
        "a password, or a sudoers rule with NOPASSWD",
        "give the runner its sudo_password, or add `USER ALL=(ALL) NOPASSWD: ALL` with visudo",
    ),
    (
        r"not in the sudoers|not allowed to (execute|run)|may not run sudo",
        "a user who may not use sudo",
        "a user with sudo rights",
        "as root: `usermod -aG sudo USER`, or name another user",
    ),
    (r"sudo.*(not found|No such file)", "no sudo", "sudo installed", "install sudo, or log in as root"),
)


def sudo_argv(argv: tuple[str, ...], *, with_password: bool) -> tuple[str, ...]:
    """Return the argv that runs `argv` as root; the password, if any, is sudo's first line of input."""
    ask = ("-S", "-p", "") if with_password else ("-n",)
    return ("env", "LC_ALL=C", "sudo", *ask, "--", *argv)


def password_refused(said: bytes) -> bool:
    """Tell whether sudo did not accept the password it was given."""
    return bool(_REFUSED.search(said))


def judge_sudo(target: str, said: str) -> RemoteError | None:
    """Turn what sudo said (in the C locale) into an error with its mend; None when sudo did not refuse."""
    for pattern, found, expected, hint in _VERDICTS:
        if re.search(pattern, said, re.IGNORECASE):
            return RemoteError(f"{target}: sudo", found=found, expected=expected, hint=hint)
    return None

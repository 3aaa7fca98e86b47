"""Commands inside hosts."""

import os
from collections.abc import Sequence

from l0_infra.core.errors import OgaiError, RemoteError, UsageError
from l0_infra.core.exec import Outcome, Result, fan_out
from l1_podsys import HostHandle, ssh_command
from ogai.flows.lab.hosts import find_hosts
from ogai.flows.lab.labs import here

__all__ = ["exec_", "exec_command", "raise_for_failed", "shell_command"]

EXEC_S = 600.0


def exec_(
    nodes: str, argv: Sequence[str], *, deadline_s: float = EXEC_S
) -> tuple[Result[HostHandle, Outcome], ...]:
    """Run a command as root on hosts, at their consoles: no network and no sshd is needed."""
    return fan_out(find_hosts(here(), nodes), lambda at: at.run(argv, deadline_s=deadline_s))


def exec_command(nodes: str, argv: Sequence[str]) -> tuple[str, ...] | None:
    """Write the command that runs `argv` on the one host that is meant; None when several are."""
    hosts = find_hosts(here(), nodes)
    return hosts[0].at_console(argv) if len(hosts) == 1 else None


def raise_for_failed(results: Sequence[Result[HostHandle, Outcome]]) -> None:
    """Raise RemoteError when a command failed on one of the hosts."""
    failed = []
    for result in results:
        if result.error is not None and not isinstance(result.error, OgaiError):
            raise result.error
        if result.error is not None:
            failed.append(str(result.error))
        elif result.value is not None and not result.value.ok:
            failed.append(f"{result.item}: {result.value.describe_end()}")
    if failed:
        raise RemoteError("ogai lab exec", found="\n  ".join(failed), expected="exit code 0 everywhere")


def shell_command(node: str, *, console: bool = False) -> tuple[str, ...]:
    """Write the command that gives a shell on one host: over ssh, or as root at its console."""
    at, *others = find_hosts(here(), node)
    if others:
        raise UsageError(f"node set `{node}`", found=f"{len(others) + 1} hosts", expected="one host")
    shell = ("env", f"TERM={os.environ.get('TERM', 'linux')}", "bash", "-l")
    return at.at_console(shell) if console else ssh_command(at.host, at.layout)

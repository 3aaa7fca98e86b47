"""Commands inside hosts, whichever lab they belong to."""

from collections.abc import Sequence
from dataclasses import dataclass

from l0_infra.core.errors import RemoteError, UsageError
from l0_infra.core.exec import Command, Outcome, Result, fan_out
from l0_infra.core.nodeset import expand, fold
from l1_podsys.lab import Lab, LabHost, Layout, Place, console_command, leader_of, load_labs, ssh_command
from ogai.flows.lab.labs import here

__all__ = ["Found", "exec_", "find_hosts", "shell_command"]

EXEC_S = 600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A host and the lab it belongs to."""

    lab: Lab
    host: LabHost

    def __str__(self) -> str:
        return self.host.name


def find_hosts(place: Place, nodes: str) -> tuple[Found, ...]:
    """Find hosts by a node set. Raises UsageError for a name that no lab has."""
    known = {host.name: Found(lab=lab, host=host) for lab in load_labs(place.home) for host in lab.hosts}
    wanted = expand(nodes)
    strangers = [name for name in wanted if name not in known]
    if strangers or not wanted:
        raise UsageError(
            f"node set `{nodes}`",
            found=f"`{fold(strangers)}`, which no lab has" if strangers else "no name",
            expected=f"hosts of {fold(known)}" if known else "a lab",
            hint="" if known else "`ogai lab up` makes one",
        )
    return tuple(known[name] for name in wanted)


def exec_(
    nodes: str, argv: Sequence[str], *, deadline_s: float = EXEC_S
) -> tuple[Result[Found, Outcome], ...]:
    """Run a command as root on hosts, at their consoles: no network and no sshd is needed."""
    place = here()

    def do(found: Found) -> Outcome:
        command = at_console(place, found, argv)
        return place.runner.run(Command(argv=command, deadline_s=deadline_s))

    return fan_out(find_hosts(place, nodes), do)


def shell_command(node: str, *, console: bool = False) -> tuple[str, ...]:
    """Write the command that gives a shell on a host: over ssh, or as root at its console."""
    place = here()
    (found, *_) = find_hosts(place, node)
    if console:
        return at_console(place, found, ("bash", "-l"))
    return ssh_command(found.host, Layout.of(place.home, found.lab.name))


def at_console(place: Place, found: Found, argv: Sequence[str]) -> tuple[str, ...]:
    """Write a command for a host's console. Raises RemoteError when the host is off."""
    leader = leader_of(place.groups, found.lab, found.host)
    if leader is None:
        raise RemoteError(
            f"lab host {found.host.name}",
            found="a host that is off",
            expected="one that runs",
            hint=f"ogai lab heal {found.host.name}",
        )
    return console_command(found.lab, found.host, place.groups, leader, argv)

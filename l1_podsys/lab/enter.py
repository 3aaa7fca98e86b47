"""Ways into a host: over ssh as anyone, or at its console as root, which needs no network and no sshd."""

from collections.abc import Sequence

from l1_podsys.lab.cgroups import Groups
from l1_podsys.lab.documents import Lab, LabHost
from l1_podsys.lab.layout import Layout

__all__ = ["console_command", "ssh_command"]

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

JOIN = 'for group in $LAB_GROUPS; do echo $$ >"$group/machine/cgroup.procs" || exit 125; done; exec "$@"'
"""The process counts as the host's: it is frozen, slowed and ended with it."""


def ssh_command(host: LabHost, layout: Layout, argv: Sequence[str] = ()) -> tuple[str, ...]:
    """Write the ssh that logs in to a host."""
    return ("ssh", "-F", str(layout.ssh_config), host.name, *argv)


def console_command(
    lab: Lab, host: LabHost, groups: Groups, leader: int, argv: Sequence[str]
) -> tuple[str, ...]:
    """Write the command that runs `argv` as root inside a host; `leader` is the host's first process."""
    folders = " ".join(str(root / lab.group / host.name) for root in groups.roots())
    inside = ("env", "-i", "--chdir=/root", f"PATH={PATH}", "HOME=/root", "LANG=C.UTF-8", "TERM=linux", *argv)
    enter = ("nsenter", "--target", str(leader), "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup")
    return ("env", f"LAB_GROUPS={folders}", "sh", "-c", JOIN, "sh", *enter, "--", *inside)

"""`ogai lab`: real Debian hosts on this machine; each command is imported when it is run."""

from ogai.lazy import Entry, LazyGroup

__all__ = ["lab"]

HERE = "ogai.commands.lab"

TABLE = {
    "up": Entry(target=f"{HERE}.up:up", help="Make a lab of Debian hosts, or what it lacks."),
    "list": Entry(target=f"{HERE}.see:list_", help="The labs, their hosts, and what is broken."),
    "shell": Entry(target=f"{HERE}.enter:shell", help="A shell on a host."),
    "exec": Entry(target=f"{HERE}.enter:exec_", help="Run a command as root on hosts."),
    "break": Entry(target=f"{HERE}.damage:break_", help="Break hosts on purpose."),
    "heal": Entry(target=f"{HERE}.damage:heal", help="Mend what was broken."),
    "down": Entry(target=f"{HERE}.down:down", help="Take a lab down; nothing of it is left."),
}

EPILOG = """\b
Examples:
  ogai lab up                          four hosts of Debian 12, and lab.yaml
  ogai lab exec lab-[1-4] -- systemctl is-system-running
  ogai lab shell lab-1
  ogai lab break power-off lab-3; ogai lab list; ogai lab heal lab-3
  ogai lab down
"""

lab = LazyGroup(
    "lab", TABLE, help="Real Debian hosts on this machine: made, broken, mended, taken down.", epilog=EPILOG
)

"""Whether this machine passes the hosts' packets on: switched on for the interfaces that need it, and off again.

Only a value that was off is put back, and only when nobody has switched forwarding on for the whole machine since.
"""

import contextlib
import json
from pathlib import Path

from l0_infra.core.exec import Command, Runner

__all__ = ["NOTES", "parse_uplinks", "probe_uplinks", "restore_forwarding", "switch_forwarding_on"]

NOTES = Path("/run/ogai-labs")
"""Which settings labs of this machine switched on."""

SETTING = "net/ipv4/conf/{}/forwarding"
WHOLE = "net/ipv4/ip_forward"


def parse_uplinks(text: str) -> tuple[str, ...]:
    """Read the interfaces of the default ways from `ip -json -4 route show default`."""
    return tuple(dict.fromkeys(route["dev"] for route in json.loads(text or "[]") if "dev" in route))


def probe_uplinks(runner: Runner) -> tuple[str, ...]:
    """Ask this machine through which interfaces it reaches the world."""
    return parse_uplinks(
        runner.run(Command(argv=("ip", "-json", "-4", "route", "show", "default"))).check().stdout
    )


def switch_forwarding_on(
    interfaces: tuple[str, ...], *, notes: Path, settings: Path = Path("/proc/sys")
) -> None:
    """Switch it on where it is off, and note that; `notes` is a folder shared by all labs of this machine."""
    for interface in interfaces:
        setting = settings / SETTING.format(interface)
        if setting.read_text().strip() == "0":
            notes.mkdir(parents=True, exist_ok=True)
            (notes / f"forwarding-{interface}").touch()
            setting.write_text("1")


def restore_forwarding(*, notes: Path, settings: Path = Path("/proc/sys")) -> None:
    """Switch it off where labs switched it on; for the last lab to go."""
    whole = (settings / WHOLE).read_text().strip() == "1"
    for note in notes.glob("forwarding-*"):
        setting = settings / SETTING.format(note.name.removeprefix("forwarding-"))
        if not whole:
            with contextlib.suppress(FileNotFoundError):  # an interface that is gone has no setting
                setting.write_text("0")
        note.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        notes.rmdir()

"""Settings of this machine that labs need: noted when they are changed, put back with the last lab.

Packets of hosts are passed on, and the systemds of many hosts, all root's to this kernel, may watch enough files.
A value is put back only where it is still the one that was set; forwarding only where nobody switched it on for all.
"""

import contextlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote, unquote

import msgspec

from l0_infra.core.exec import Command, Runner
from l0_infra.core.store import save_file

__all__ = ["NOTES", "apply_settings", "parse_uplinks", "probe_uplinks", "restore_settings"]

NOTES = Path("/run/ogai-labs")
"""Folder of the notes, shared by all labs of this machine."""

SYSCTL = Path("/proc/sys")
WHOLE = "net/ipv4/ip_forward"
WATCHERS = "fs/inotify/max_user_instances"
MOST_WATCHERS = 8192
"""A host takes seven instances of inotify(7), and the usual limit for all of a user's is 128."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """What a setting was, and what it was set to."""

    before: str
    ours: str


def parse_uplinks(text: str) -> tuple[str, ...]:
    """Read the interfaces of the default ways from `ip -json -4 route show default`."""
    return tuple(dict.fromkeys(route["dev"] for route in json.loads(text or "[]") if "dev" in route))


def probe_uplinks(runner: Runner) -> tuple[str, ...]:
    """Ask this machine through which interfaces it reaches the world."""
    shown = runner.run(Command(argv=("ip", "-json", "-4", "route", "show", "default"))).check()
    return parse_uplinks(shown.stdout)


def apply_settings(interfaces: Iterable[str], *, notes: Path = NOTES, sysctl: Path = SYSCTL) -> None:
    """Let packets of these interfaces through, and raise the number of watchers; note what that changed."""
    for interface in interfaces:
        _apply(f"net/ipv4/conf/{interface}/forwarding", "1", notes, sysctl)
    if int(_read(sysctl / WATCHERS) or MOST_WATCHERS) < MOST_WATCHERS:
        _apply(WATCHERS, str(MOST_WATCHERS), notes, sysctl)


def restore_settings(*, notes: Path = NOTES, sysctl: Path = SYSCTL) -> None:
    """Put back what labs changed; for the last lab to go."""
    for name, note in _noted(notes).items():
        forwarded = name.endswith("/forwarding") and _read(sysctl / WHOLE) == "1"
        if _read(sysctl / name) == note.ours and not forwarded:
            (sysctl / name).write_text(note.before)
        _note_of(notes, name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        notes.rmdir()


def _apply(name: str, value: str, notes: Path, sysctl: Path) -> None:
    before = _read(sysctl / name)
    if before in (value, None):
        return
    notes.mkdir(parents=True, exist_ok=True)
    note = _note_of(notes, name)
    if not note.exists():
        save_file(note, msgspec.json.encode(Note(before=before, ours=value)), durable=False)
    (sysctl / name).write_text(value)


def _noted(notes: Path) -> Mapping[str, Note]:
    files = notes.glob("[!.]*.json")
    return {unquote(file.stem): msgspec.json.decode(file.read_bytes(), type=Note) for file in files}


def _note_of(notes: Path, name: str) -> Path:
    return notes / f"{quote(name, safe='')}.json"


def _read(file: Path) -> str | None:
    """Read a setting; None when this kernel, or this machine any more, has none of that name."""
    try:
        return file.read_text().strip()
    except FileNotFoundError:
        return None

"""One look at a node tells what many roles left there: one script goes, one line for each thing comes back."""

import hashlib
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from l0_infra.core.exec import Command
from l0_infra.roles.items import Item, Kind

__all__ = ["UNTOLD", "Look", "fingerprint", "look_command", "parse_look"]

LIMIT_S = 60.0
LINE_BREAK = "\x1e"
"""Stands in an answer for the end of a line."""

UNTOLD = "untold"
"""What is found by a command that cannot tell now, because somebody else does not answer."""

AT_WORK = frozenset({"active"})
KEPT = frozenset(
    {"enabled", "enabled-runtime", "static", "linked", "alias", "indirect", "generated", "transient"}
)
"""States of a unit's file with which systemd starts it when it should."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What was found of each thing asked for; what was not told is not there."""

    found: Mapping[Item, str] = field(default_factory=dict)

    def of(self, items: Iterable[Item]) -> dict[str, str]:
        """Return what was found of these things, each by its name in words."""
        return {str(item): self.found.get(item, "absent") for item in items}

    def faults(self, items: Iterable[Item]) -> Iterator[str]:
        """Yield what cannot be right, whatever was there before: an absent file or package, a service at rest."""
        for item in items:
            if wrong := _wrong(item, self.found.get(item, "absent")):
                yield f"{item} is {wrong}"


def fingerprint(found: Mapping[str, str]) -> str:
    """Return one short text for what was found, the same only for the same."""
    text = "\0".join(f"{name}\0{found[name]}" for name in sorted(found))
    return hashlib.sha256(text.encode()).hexdigest()


def look_command(items: Iterable[Item], *, sudo: bool) -> Command:
    """Return the command that looks at all these things."""
    return Command.script("\n".join(_script(items)), deadline_s=LIMIT_S, sudo=sudo)


def parse_look(text: str) -> Look | None:
    """Read what it printed; None when it was cut off."""
    lines = text.rstrip("\n").split("\n")
    if lines[-1] != "end":
        return None
    rows = (line.split("\t", 2) for line in lines[:-1])
    kinds: dict[str, Kind] = {
        "file": "file",
        "service": "service",
        "package": "package",
        "command": "command",
    }
    return Look(
        found={
            Item(kinds[row[0]], _lines(row[1])): _lines(row[2])
            for row in rows
            if len(row) == 3 and row[0] in kinds
        }
    )


def _lines(text: str) -> str:
    return text.replace(LINE_BREAK, "\n").strip()


def _script(items: Iterable[Item]) -> Iterator[str]:
    yield files(__package__).joinpath("look.sh").read_text("utf-8")
    names: dict[Kind, list[str]] = {"file": [], "service": [], "package": [], "command": []}
    for item in dict.fromkeys(items):
        names[item.kind].append(item.name)
    for call, asked in (
        ("files", names["file"]),
        ("services", names["service"]),
        ("packages", names["package"]),
    ):
        if asked:
            yield shlex.join((call, *asked))
    yield from (shlex.join(("command_", text)) for text in names["command"])
    yield "echo end"


def _wrong(item: Item, found: str) -> str:
    state, _, rest = found.partition(" ")
    if item.kind in ("file", "package"):
        good = state != "absent" and (item.kind == "file" or state == "installed")
        return "" if good else state
    if item.kind == "service":
        return "" if state in AT_WORK and (rest in KEPT or not rest) else found.strip()
    return ""

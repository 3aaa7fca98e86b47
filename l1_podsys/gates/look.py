"""What is asked of a node beyond its facts, in one round trip, and how the answer is read."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from l0_infra.core.exec import Command

__all__ = ["Look", "Question", "look_command", "parse_look"]

DEADLINE_S = 45.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked of one node; its length does not grow with the cluster."""

    token: str
    """What a written file holds, and `file` the name under which the shared file systems have it already."""
    file: str = ""
    storages: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    """Addresses to which the way is asked."""
    names: tuple[str, ...] = ()
    """Names of nodes to be resolved, and `peers` the addresses of the same nodes for ssh's port."""
    peers: tuple[str, ...] = ()
    port: int = 22
    services: tuple[str, ...] = ()
    credential: str = field(default="", repr=False)
    """A credential of the controller's munge, good for a few minutes and for nothing but to be believed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What one node said: sections by their names, without empty lines."""

    sections: Mapping[str, tuple[str, ...]]

    @property
    def whole(self) -> bool:
        """Whether the script came to its end."""
        return "end" in self.sections

    def lines(self, name: str) -> tuple[str, ...] | None:
        """Return the lines of a section; None when it was not asked or not reached."""
        return self.sections.get(name)


def look_command(question: Question, *, sudo: bool = False) -> Command:
    """Ask a node; the credential goes by stdin with the rest of the script."""
    lists = {
        "routes": question.routes,
        "names": question.names,
        "peers": question.peers,
        "storages": question.storages,
        "services": question.services,
    }
    settings = {
        **{name: " ".join(values) for name, values in lists.items()},
        "token": question.token,
        "file": question.file,
        "port": str(question.port),
        "credential": question.credential,
    }
    head = "\n".join(f"{name}={shlex.quote(value)}" for name, value in settings.items())
    text = files(__package__).joinpath("look.sh").read_text("utf-8")
    return Command.script(f"{head}\n{text}", deadline_s=DEADLINE_S, sudo=sudo)


def parse_look(text: str) -> Look:
    """Read what the script printed, also when it was cut off."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if line.startswith("== "):
            current = sections.setdefault(line[3:].strip(), [])
        elif line.strip():
            current.append(line)
    return Look(sections={name: tuple(lines) for name, lines in sections.items()})

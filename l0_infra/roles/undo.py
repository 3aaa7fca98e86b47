"""Take away what roles left on a node: services are stopped, files go or become again what they were."""

import shlex
from collections.abc import Iterable, Iterator
from importlib.resources import files

from l0_infra.core.exec import Command
from l0_infra.roles.items import Item

__all__ = ["undo_command"]

LIMIT_S = 300.0


def undo_command(items: Iterable[Item], data: Iterable[str] = (), *, sudo: bool) -> Command:
    """Return the command that stops and disables the services among the items, removes the files, and the data.

    A file that was there before comes back from its copy (`<file>.before-ogai`); without one, a file that belongs to a
    package stays.
    """
    return Command.script("\n".join(_script(list(items), list(data))), deadline_s=LIMIT_S, sudo=sudo)


def _script(items: list[Item], data: list[str]) -> Iterator[str]:
    yield files(__package__).joinpath("undo.sh").read_text("utf-8")
    units = [item.name for item in items if item.kind == "service"]
    if units:
        yield shlex.join(("stop", *units))
    yield from (shlex.join(("undo", item.name)) for item in items if item.kind == "file")
    yield from (shlex.join(("purge", path)) for path in data)
    yield "systemctl daemon-reload"
    yield "exit $og_failed"

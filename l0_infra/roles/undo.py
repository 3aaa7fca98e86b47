"""Take away what roles left on a node: services are stopped, files go or become again what they were."""

import shlex
from collections.abc import Iterable, Iterator
from importlib.resources import files

from l0_infra.core.exec import Command
from l0_infra.roles.items import Item
from l0_infra.schemas import Outcome

__all__ = ["undo_command"]

LIMIT_S = 300.0


def undo_command(
    items: Iterable[Item], outcomes: Iterable[Outcome] = (), *, purge: bool = False, sudo: bool
) -> Command:
    """Return the command that stops and disables the services among the items, and removes the files.

    A file that was there before comes back from its copy (`<file>.before-ogai`); without one, a file that belongs to a
    package stays. Of files of others that the outcomes tell of, what is ours goes; with `purge` the data go, too.
    """
    return Command.script(
        "\n".join(_script(list(items), list(outcomes), purge)), deadline_s=LIMIT_S, sudo=sudo
    )


def _script(items: list[Item], outcomes: list[Outcome], purge: bool) -> Iterator[str]:
    yield files(__package__).joinpath("undo.sh").read_text("utf-8")
    units = [item.name for item in items if item.kind == "service"]
    if units:
        yield shlex.join(("stop", *units))
    yield from (shlex.join(("undo", item.name)) for item in items if item.kind == "file")
    for outcome in outcomes:
        yield from (shlex.join(("restore", path)) for path in outcome.changes)
        yield from (shlex.join(("unblock", path)) for path in outcome.blocks)
        yield from (shlex.join(("purge", path)) for path in outcome.data if purge and "{" not in path)
    yield "systemctl daemon-reload"
    yield "exit $og_failed"

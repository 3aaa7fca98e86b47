"""The switches that were found, as lines that can be written into a document, and all that they do not say."""

from collections.abc import Iterator

import msgspec

from l1_podsys import FoundSwitches
from l1_podsys.schemas import Switch
from ogai.render.alike import fold_alike

__all__ = ["switch_lines"]

MOST = 20


def switch_lines(found: FoundSwitches) -> Iterator[str]:
    """Yield each switch with what hangs on it, the nodes that have none, contradictions, and what was decided."""
    total = len(found.switches)
    yield f"  switches by {found.source}: {total or 'none found, so none is considered'}"
    yield from (f"    - {_switch(one)}" for one in found.switches[:MOST])
    if len(found.switches) > MOST:
        yield f"    … and {len(found.switches) - MOST} more"
    for nodes, why in fold_alike(found.unplaced).items():
        yield f"    not placed: {nodes}: {why}"
    for one in found.conflicts:
        yield f"    contradicted: {one.where}: {one.found}; {one.hint}"
    yield from (f"    {note}" for note in found.notes)


def _switch(one: Switch) -> str:
    """Write it as a `cluster` document takes it."""
    key, below = ("nodes", one.nodes) if one.nodes is not None else ("switches", one.switches)
    return f"{{name: {one.name}, {key}: {msgspec.json.encode(below).decode()}}}"

"""Names of nodes as a page holds them: a node set that may be wrapped at its commas, and how many they are."""

from collections.abc import Collection

from l0_infra.core.nodeset import fold
from ogai.render.report import Cell
from ogai.render.shortened import shortened

__all__ = ["nodes_cell", "wrapped"]

LONGEST = 300


def nodes_cell(nodes: Collection[str]) -> Cell:
    """Write nodes in a cell."""
    note = f"{len(nodes):,} nodes" if len(nodes) > 1 else ""
    return Cell(text=wrapped(fold(nodes)), note=note)


def wrapped(text: str) -> str:
    """Write a node set so that it can be wrapped; `expand` reads it all the same."""
    return shortened(text.replace(",", ", "), LONGEST)

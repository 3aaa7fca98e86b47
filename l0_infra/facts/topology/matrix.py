"""Pairs and places out of a vendor's table, its columns named as the rest of the facts name them."""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from types import MappingProxyType

from l0_infra.facts.bundle import Source
from l0_infra.facts.topology.table import Table, parse_table
from l0_infra.facts.topology.tail import read_tails
from l0_infra.facts.topology.told import Told, Way
from l0_infra.facts.topology.words import parse_path
from l0_infra.schemas import Unread

__all__ = ["NPU_TOPO", "TOPO", "parse_matrix"]

TOPO = Source(
    name="topo-m.txt",
    program="nvidia-smi",
    command="nvidia-smi topo -m",
    also=("*topo*-m*", "*nvidia*topo*", "topo.*"),
    marks=("\tGPU0\t", "\x1b[4mGPU0\t"),
)
NPU_TOPO = Source(
    name="npu-smi-info-t-topo.txt",
    program="npu-smi",
    command="npu-smi info -t topo",
    also=("*npu*topo*",),
    marks=("= Path traversing SIO", "HCCS = Connection traversing HCCS"),
)
VENDORS = {"GPU": "nvidia", "NPU": "ascend", "Phy-ID": "ascend"}


def parse_matrix(
    text: str,
    what: str,
    numa: Mapping[int, frozenset[int]],
    own: Mapping[str, str] = MappingProxyType({}),
) -> Told:
    """Read a table; `numa` has the CPUs of the machine's NUMA nodes, `own` ids of what the table calls otherwise.

    What is garbled is told and left out.
    """
    table = parse_table(text)
    names = {device: own.get(device) or _name(device, table) for device in table.devices}
    places = zip(table.rows, read_tails([row.tail for row in table.rows], table.tails, numa), strict=True)
    cells = {
        (row.device, column): cell
        for row in table.rows
        for column, cell in zip(table.devices, row.cells, strict=True)
    }
    return Told(
        ways={
            (names[one], names[other]): way
            for one, other in combinations(table.devices, 2)
            if (way := _way(cells, one, other))
        },
        places={names[row.device]: place for row, place in places if row.tail},
        unread=tuple(_faults(table, cells, what)),
        read=bool(table.devices),
    )


def _name(device: str, table: Table) -> str:
    match = re.fullmatch(r"(GPU|NPU|Phy-ID)([0-9]{1,4})", device)
    return f"{VENDORS[match[1]]}:{int(match[2])}" if match else table.names.get(device, device)


def _way(cells: Mapping[tuple[str, str], str], one: str, other: str) -> Way | None:
    """Read a pair from both its cells; None when they contradict each other."""
    told = {cells[pair] for pair in ((one, other), (other, one)) if pair in cells}
    path = parse_path(told.pop()) if len(told) == 1 else None
    return Way(path=path[0], links=path[1]) if path else None


def _faults(table: Table, cells: Mapping[tuple[str, str], str], what: str) -> Iterator[Unread]:
    for line in table.garbled:
        yield Unread(what=what, reason="garbled", detail=line[:200])
    for one, other in combinations(table.devices, 2):
        here, there = cells.get((one, other)), cells.get((other, one))
        if here and there and here != there:
            yield Unread(
                what=what,
                reason="garbled",
                detail=f"{one} reaches {other} by {here}, {other} {one} by {there}",
            )

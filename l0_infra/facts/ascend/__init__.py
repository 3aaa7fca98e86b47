"""Ascend NPUs: every chip counts as one accelerator, also where two are on one NPU (910C) or card (310P)."""

from collections.abc import Iterator, Mapping

from l0_infra.facts.ascend.accelerator import Evidence, accelerator
from l0_infra.facts.ascend.mapping import Mapped, parse_mapping
from l0_infra.facts.ascend.ports import fabric_port, parse_ports
from l0_infra.facts.ascend.queries import Queries, fields_of, parse_queries
from l0_infra.facts.ascend.sources import (
    INFO,
    LISTED,
    MAPPING,
    PORTS,
    QUERIES,
    QUICK,
    SOURCES,
    VERSIONS,
)
from l0_infra.facts.ascend.table import ChipKey, Table, parse_table
from l0_infra.facts.ascend.versions import parse_versions
from l0_infra.facts.bundle import Answers
from l0_infra.facts.tree import integer
from l0_infra.facts.vendor import Found
from l0_infra.schemas import Accelerator, Unread

__all__ = ["LISTING", "QUICK", "SOURCES", "parse_ascend"]

TOOL = INFO.command
LISTING = (INFO,)
"""What names every chip."""
MOST_CHIPS = 16
"""More chips than any NPU or card has."""


def parse_ascend(answers: Answers) -> Found:
    """Read chips, their processes and ports, and the versions installed."""
    table = parse_table(answers[INFO.name].out)
    mapping = parse_mapping(answers[MAPPING.name].out)
    queries = parse_queries(answers[one.name].out for one in (*QUERIES, LISTED))
    found = {key: accelerator(evidence) for key, evidence in _evidence(table, mapping, queries).items()}
    physical = {_physical(key, mapping, one): one for key, one in found.items()}
    ports = parse_ports(answers[one.name].out for one in PORTS)
    names = {f"Phy-ID{number}": one.id for number, one in physical.items()}
    names |= {f"NPU{key[0]}": one.id for key, one in reversed(found.items())}
    return Found(
        names=names,
        accelerators=tuple(sorted(found.values(), key=lambda one: one.index)),
        unread=tuple(_unread(answers, table, queries)),
        software=parse_versions(answers[VERSIONS.name].out),
        fabric=tuple(fabric_port(physical[at], said) for at, said in sorted(ports.items()) if at in physical),
    )


def _evidence(
    table: Table, mapping: Mapping[ChipKey, Mapped], queries: Queries
) -> Mapping[ChipKey, Evidence]:
    """Gather what there is about each chip that any answer names; the table's chips come first, in its order."""
    chips = {chip.key: chip for chip in table.chips}
    keys = dict.fromkeys((*chips, *mapping)) or dict.fromkeys(sorted(_asked(queries)))
    taken: set[int] = set()
    found: dict[ChipKey, Evidence] = {}
    for key in keys:
        chip, mapped = chips.get(key), mapping.get(key)
        own = mapped.logic if mapped and mapped.logic is not None else chip.number if chip else None
        index = own if own is not None and own not in taken else _free(taken)
        taken.add(index)
        found[key] = Evidence(
            index=index,
            chip=chip,
            mapped=mapped,
            fields=fields_of(queries, key),
            driver=table.driver,
            processes=None if table.held is None else tuple(one for place, one in table.held if place == key),
        )
    return found


def _asked(queries: Queries) -> Iterator[ChipKey]:
    """Name the chips of which queries tell, by themselves or by their number on an NPU."""
    for npu, chip in queries:
        if npu is not None:
            count = integer(queries[npu, chip].get("Chip Count")) or 1
            yield from [(npu, at) for at in range(min(count, MOST_CHIPS))] if chip is None else [(npu, chip)]


def _free(taken: set[int]) -> int:
    return next(number for number in range(len(taken) + 1) if number not in taken)


def _physical(key: ChipKey, mapping: Mapping[ChipKey, Mapped], one: Accelerator) -> int:
    """Return the physical id of a chip: on a whole machine it is the logic id."""
    mapped = mapping.get(key)
    return mapped.physical if mapped and mapped.physical is not None else one.index


def _unread(answers: Answers, table: Table, queries: Queries) -> Iterator[Unread]:
    info = answers[INFO.name]
    yield from info.unread(TOOL)
    if info.ok and not table.chips:
        yield Unread(what=TOOL, reason="garbled", detail=info.out.strip()[:200])
    elif table.strange:
        yield Unread(what=TOOL, reason="garbled", detail="; ".join(table.strange)[:200])
    for source in (*QUERIES, LISTED, MAPPING, *PORTS, VERSIONS):
        if answers[source.name].end == "hung":
            yield from answers[source.name].unread(source.name)
    if any(npu is None for npu, _ in queries):
        yield Unread(
            what="npu-smi info -t",
            reason="garbled",
            detail="an answer that does not say of which NPU it is",
            hint="put the command above its output, as in `# npu-smi info -t health -i 0 -c 0`",
        )

"""Nodes as they are now, a line each, for a screen that is painted again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from time import localtime, strftime
from typing import TYPE_CHECKING

from l0_infra.core.errors import printable
from l0_infra.schemas import SEVERITIES, Accelerator, Inspection, NodeFacts
from ogai.flows.node import Inspected, lost_of
from ogai.render.node.table import name_of

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["live_lines"]

STYLES = {"fatal": "bold red", "error": "red", "warning": "yellow", "notice": ""}
HEAD = ("NODE", "VERDICT", "BUSY", "MEMORY", "HOTTEST", "POWER", "FABRIC", "FIRST FINDING")
UNKNOWN = "-"
"""A column that says no more of any node gives its room to the others."""

GAP = "  "


def live_lines(look: Inspected, *, width: int, height: int, now: float) -> list[Text]:
    """Draw the table, the worst nodes first, as much of it as the screen takes."""
    from rich.text import Text

    pairs = sorted(zip(look.inspections, look.facts, strict=True), key=lambda pair: _rank(pair[0], pair[1]))
    room = max(1, height - 3)
    rows = [_row(inspection, facts) for inspection, facts in pairs[:room]]
    told = [column for column in range(len(HEAD)) if any(row[column] != UNKNOWN for row in rows)]
    head, *rows = [tuple(row[column] for column in told) for row in (HEAD, *rows)]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [Text(_line(head, widths), style="bold")]
    for (inspection, facts), row in zip(pairs, rows, strict=False):
        lines.append(Text(_line(row, widths), style=_style(inspection, facts)))
    left_out = len(pairs) - len(rows)
    more = f"{left_out} more nodes, no worse; " if left_out else ""
    lines.append(Text(f"{more}{strftime('%H:%M:%S', localtime(now))}, q leaves", style="dim"))
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def _line(cells: Iterable[str], widths: Sequence[int]) -> str:
    return GAP.join(cell.ljust(size) for cell, size in zip(cells, widths, strict=True)).rstrip()


def _rank(inspection: Inspection, facts: NodeFacts) -> tuple[int, int]:
    if lost_of(facts):
        return (-1, 0)
    worst = min((SEVERITIES.index(found.severity) for found in inspection.findings), default=len(SEVERITIES))
    return (worst, -len(inspection.findings))


def _style(inspection: Inspection, facts: NodeFacts) -> str:
    if lost_of(facts):
        return STYLES["fatal"]
    return next((STYLES[found.severity] for found in inspection.findings), "")


def _row(inspection: Inspection, facts: NodeFacts) -> tuple[str, ...]:
    first = next((f"{found.subject} {found.rule}: {found.found}" for found in inspection.findings), "")
    lost = lost_of(facts)
    cells = (
        name_of(facts),
        lost.reason if lost else _verdict(inspection),
        *_accelerators(facts.accelerators),
        _fabric(facts),
        lost.detail if lost else first,
    )
    return tuple(printable(cell.replace("\n", " ")) for cell in cells)


def _verdict(inspection: Inspection) -> str:
    counts = Counter[str](found.severity for found in inspection.findings)
    return ", ".join(f"{counts[word]} {word}" for word in SEVERITIES if counts[word]) or "ok"


def _accelerators(listed: Sequence[Accelerator]) -> tuple[str, str, str, str]:
    busy = [one.utilization_percent for one in listed if one.utilization_percent is not None]
    held = [
        (one.memory_used_bytes, one.memory_bytes)
        for one in listed
        if one.memory_used_bytes is not None and one.memory_bytes
    ]
    conditions = [one.condition for one in listed if one.condition is not None]
    hot = [each.temperature_c for each in conditions if each.temperature_c is not None]
    power = [each.power_w for each in conditions if each.power_w is not None]
    return (
        f"{sum(busy) / len(busy):.0f} %" if busy else UNKNOWN,
        f"{100 * sum(used for used, _ in held) / sum(total for _, total in held):.0f} %" if held else UNKNOWN,
        f"{max(hot):.0f} °C" if hot else UNKNOWN,
        f"{sum(power):,.0f} W" if power else UNKNOWN,
    )


def _fabric(facts: NodeFacts) -> str:
    if not facts.fabric:
        return UNKNOWN
    return f"{sum(port.state == 'active' for port in facts.fabric)}/{len(facts.fabric)} up"

"""What a check found, in words: like verdicts of many nodes are told once, what is well is counted."""

from collections import Counter
from collections.abc import Sequence

from l1_podsys.schemas import Health, Verdict
from ogai.flows.node import name_all
from ogai.render.alike import alike, told_once
from ogai.render.cluster.drains import print_changes
from ogai.render.table import Column, print_fields, print_heading, print_table

__all__ = ["print_health"]

ORDER = ("critical", "unknown", "warning", "ok")
Row = tuple[str, list[Verdict]]
"""Nodes, and the verdicts of the first of them."""

STYLES = {"critical": "bold red", "unknown": "bold yellow", "warning": "yellow", "ok": "green"}


def print_health(health: Health, *, everything: bool = False) -> None:
    """Print a line for all nodes alike, then each verdict that is not good (or all), worst first, on stdout."""
    print_table(COLUMNS, _rows(health.verdicts))
    for severity in ORDER if everything else ORDER[:-1]:
        for group in _groups(health.verdicts, severity):
            _print(group)
    if health.drains:
        print_heading("drains")
        print_changes(health.drains)
    if health.breaker:
        print_heading(f"nobody was drained: {health.breaker}", style="bold red")


def _rows(verdicts: Sequence[Verdict]) -> list[Row]:
    """Give nodes whose verdicts come to the same one row."""
    by_node: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_node.setdefault(verdict.node, []).append(verdict)
    rows: dict[tuple[str, ...], dict[str, list[Verdict]]] = {}
    for node, own in by_node.items():
        shown = tuple(column.value((node, own)) for column in COLUMNS[1:])
        rows.setdefault(shown, {})[node] = own
    return [(name_all(nodes), next(iter(nodes.values()))) for nodes in rows.values()]


def _groups(verdicts: Sequence[Verdict], severity: str) -> list[list[Verdict]]:
    groups: dict[tuple[str, ...], list[Verdict]] = {}
    for one in verdicts:
        if one.severity == severity:
            groups.setdefault(_sort_of(one), []).append(one)
    return list(groups.values())


def _sort_of(one: Verdict) -> tuple[str, ...]:
    """What verdicts have in common that are told as one; checks that nobody could make, by why not."""
    found = alike(one.found, one.node)
    return (
        (found, one.hint) if one.severity == "unknown" else (one.check, found, alike(one.expected, one.node))
    )


def _print(group: Sequence[Verdict]) -> None:
    first = group[0]
    names = name_all(one.node for one in group)
    checks = ", ".join(dict.fromkeys(one.check for one in group))
    title = "NOT CHECKED" if first.severity == "unknown" else first.severity.upper()
    print_heading(f"{title}  {names}  {checks}", style=STYLES[first.severity])
    found = told_once((one.found for one in group), first.node)
    expected = told_once((one.expected for one in group), first.node)
    fields = (
        [("  why", found)] if first.severity == "unknown" else [("  found", found), ("  expected", expected)]
    )
    print_fields([*fields, ("  mend", first.hint)] if first.hint else fields)


def _state(row: Row) -> str:
    return next(severity for severity in ORDER if any(one.severity == severity for one in row[1]))


def _health(row: Row) -> str:
    """Say of a node with which nothing is wrong, though not all could be checked, just that."""
    found = {one.severity for one in row[1]}
    return "incomplete" if "unknown" in found and found <= {"ok", "unknown"} else _state(row)


def _counted(severity: str, row: Row) -> str:
    return str(Counter[str](one.severity for one in row[1])[severity])


def _worst(row: Row) -> str:
    state = _state(row)
    codes = [one.check for one in row[1] if one.severity == state]
    return "" if state == "ok" else ", ".join(dict.fromkeys(codes))


COLUMNS: tuple[Column[Row], ...] = (
    Column(title="NODE", value=lambda row: row[0]),
    Column(title="HEALTH", value=_health),
    Column(title="OK", value=lambda row: _counted("ok", row), align="right"),
    Column(title="WARN", value=lambda row: _counted("warning", row), align="right"),
    Column(title="CRIT", value=lambda row: _counted("critical", row), align="right"),
    Column(title="UNKNOWN", value=lambda row: _counted("unknown", row), align="right"),
    Column(title="WORST", value=_worst),
)

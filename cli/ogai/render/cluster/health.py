"""What a check found, in words: like verdicts of many nodes are told once, what is well is counted."""

from collections import Counter
from collections.abc import Sequence

from l1_podsys.schemas import Health, Verdict
from ogai.flows.node import name_all
from ogai.render.cluster.drains import print_changes
from ogai.render.table import Column, print_fields, print_heading, print_table

__all__ = ["print_health"]

ORDER = ("critical", "unknown", "warning", "ok")
STYLES = {"critical": "bold red", "unknown": "bold yellow", "warning": "yellow", "ok": "green"}


def print_health(health: Health, *, everything: bool = False) -> None:
    """Print a line for each node, then each verdict that is not good (or all), worst first, on stdout."""
    by_node: dict[str, list[Verdict]] = {}
    for verdict in health.verdicts:
        by_node.setdefault(verdict.node, []).append(verdict)
    print_table(COLUMNS, list(by_node.items()))
    for severity in ORDER if everything else ORDER[:-1]:
        for group in _groups(health.verdicts, severity):
            _print(group)
    if health.drains:
        print_heading("drains")
        print_changes(health.drains)
    if health.breaker:
        print_heading(f"nobody was drained: {health.breaker}", style="bold red")


def _groups(verdicts: Sequence[Verdict], severity: str) -> list[list[Verdict]]:
    groups: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.severity == severity:
            groups.setdefault((verdict.check, verdict.found, verdict.expected), []).append(verdict)
    return list(groups.values())


def _print(group: Sequence[Verdict]) -> None:
    first = group[0]
    names = name_all(one.node for one in group)
    print_heading(f"{first.severity.upper()}  {names}  {first.check}", style=STYLES[first.severity])
    fields = [("  found", first.found), ("  expected", first.expected)]
    print_fields([*fields, ("  mend", first.hint)] if first.hint else fields)


def _state(row: tuple[str, list[Verdict]]) -> str:
    return next(severity for severity in ORDER if any(one.severity == severity for one in row[1]))


def _counted(severity: str, row: tuple[str, list[Verdict]]) -> str:
    return str(Counter[str](one.severity for one in row[1])[severity])


def _worst(row: tuple[str, list[Verdict]]) -> str:
    state = _state(row)
    codes = [one.check for one in row[1] if one.severity == state]
    return "" if state == "ok" else ", ".join(dict.fromkeys(codes))


COLUMNS: tuple[Column[tuple[str, list[Verdict]]], ...] = (
    Column(title="NODE", value=lambda row: row[0]),
    Column(title="HEALTH", value=_state),
    Column(title="OK", value=lambda row: _counted("ok", row), align="right"),
    Column(title="WARN", value=lambda row: _counted("warning", row), align="right"),
    Column(title="CRIT", value=lambda row: _counted("critical", row), align="right"),
    Column(title="UNKNOWN", value=lambda row: _counted("unknown", row), align="right"),
    Column(title="WORST", value=_worst),
)

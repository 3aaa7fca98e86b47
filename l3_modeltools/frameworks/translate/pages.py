"""The tables of docs/strategy.md: `python -m l3_modeltools.frameworks.translate.pages docs/strategy.md` renews them."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from l3_modeltools.frameworks.runnable import RUNNABLE, Runnable
from l3_modeltools.frameworks.translate.table import Table
from l3_modeltools.frameworks.translate.tables import TABLES

__all__ = ["field_table", "fill_in", "runnable_table"]

PLACE = re.compile(r"(<!-- (fields|runnable)(?: ([\w-]+))? -->\n).*?(<!-- end -->)", re.DOTALL)


def field_table(table: Table) -> str:
    """Which field is which, what a strategy has no words for, and where it stands."""
    return "\n".join([*_fields(table), "", *_beyond(table), "", *_sources(table), ""])


def runnable_table() -> str:
    """What each framework runs."""
    head = ["| framework | degrees | ZeRO | schedules | not together |", "|---|---|---|---|---|"]
    return "\n".join([*head, *map(_runs, RUNNABLE.values()), ""])


def fill_in(page: str) -> str:
    """Replace what stands between `<!-- fields NAME -->` or `<!-- runnable -->` and `<!-- end -->`."""
    return PLACE.sub(lambda place: place[1] + _filling(place[2], place[3]) + place[4], page)


def _filling(kind: str, name: str | None) -> str:
    return runnable_table() if kind == "runnable" or name is None else field_table(TABLES[name])


def _fields(table: Table) -> Iterator[str]:
    yield "| strategy | configuration | |"
    yield "|---|---|---|"
    for row in table.rows:
        names = ", ".join(f"`{name}`" for name in row.names)
        if names or row.note:
            yield f"| `{row.path}` | {names or '—'} | {row.note} |"


def _beyond(table: Table) -> Iterator[str]:
    yield "| not carried into a strategy | lost | taken instead |"
    yield "|---|---|---|"
    for one in table.beyond:
        yield f"| `{one.name}` | {one.lost} | {one.instead} |"


def _sources(table: Table) -> Iterator[str]:
    yield "Sources: " + ", ".join(f"`{source}`" for source in table.sources) + "."


def _runs(one: Runnable) -> str:
    degrees = ", ".join(cut for cut in ("dp", "tp", "pp", "cp", "ep", "vp") if cut in one.degrees)
    stages, schedules = ", ".join(map(str, one.zero_stages)), ", ".join(one.schedules)
    limits = [f"{cut} with ZeRO above {highest}" for cut, highest in one.highest_zero.items()]
    limits += ["fewer micro batches than stages"] if one.fills_pipeline else []
    return f"| `{one.framework}` | {degrees} | {stages} | {schedules} | {'; '.join(limits)} |"


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(fill_in(page.read_text("utf-8")), "utf-8")

"""Reads a table of hosts: CSV in any order of its columns, or the blank-separated list of PODsys without a head."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO

from l0_infra.core.errors import Fault
from l1_podsys.inventory.listed import Found, ListedHost, Note, Typed, fault_at
from l1_podsys.inventory.words import FIELDS, field_of, why_not

__all__ = ["parse_table"]

DELIMITERS = ",;\t|"
NOTHING = ("", "-", "none", "null", "n/a", "na")
IPLIST = ("serial", "name", "address", "gateway", "dns", "fabric_address")
"""Columns of PODsys' iplist.txt: serial number, name, address with prefix, gateway, DNS, address over InfiniBand."""

WITH_PREFIX = re.compile(r"[0-9.]+(/[0-9]+)?")
GROUPED = {"group": "groups", "groups": "groups"}
Rows = list[tuple[int, list[str]]]


def parse_table(text: str, source: str) -> Found:
    """Read it; columns that mean nothing here are noted, rows that do not fit the head are faults."""
    rows = _rows(text)
    if not rows:
        return Found(source=source)
    if _is_iplist(rows):
        return _read(source, IPLIST, rows[0][0], rows, {})
    line, head = rows[0]
    fields = [GROUPED.get(title.casefold()) or field_of(title) or "" for title in head]
    if "name" not in fields:
        wanted = "a head with a column of host names"
        hint = f"it may be called {', '.join(FIELDS['name'][:4])}; others are {', '.join(list(FIELDS)[1:8])}"
        return Found(
            source=source, faults=(fault_at(source, line, f"the columns {', '.join(head)}", wanted, hint),)
        )
    titles = dict(enumerate(head))
    return _read(source, fields, line, rows[1:], titles)


def _rows(text: str) -> Rows:
    """Cut lines into cells; blank lines and comments are left out, but a comment may be the head."""
    lines = text.removeprefix("\ufeff").splitlines()
    told = [row for row in lines if row.strip() and not row.lstrip().startswith("#")]
    first = next((row for row in lines if row.strip()), "")
    counts = {sign: (told or [first])[0].count(sign) for sign in DELIMITERS}
    delimiter = max(counts, key=counts.__getitem__)
    rows: Rows = []
    for line, row in enumerate(lines, 1):
        bare = row.strip()
        is_head = not rows and bare.startswith("#") and bool(_named(bare.lstrip("# "), delimiter))
        if not bare or (bare.startswith("#") and not is_head):
            continue
        rows.append(
            (line, _cells(bare.lstrip("# ") if is_head else row, delimiter if counts[delimiter] else ""))
        )
    return rows


def _cells(row: str, delimiter: str) -> list[str]:
    if not delimiter:
        return row.split()
    return [
        cell.strip()
        for cell in next(csv.reader(StringIO(row), delimiter=delimiter, skipinitialspace=True), [])
    ]


def _named(row: str, delimiter: str) -> bool:
    fields = [field_of(cell) for cell in _cells(row, delimiter if delimiter in row else "")]
    return "name" in fields and len([field for field in fields if field]) > 1


def _is_iplist(rows: Rows) -> bool:
    cells = rows[0][1]
    return len(cells) >= 3 and WITH_PREFIX.fullmatch(cells[2]) is not None and field_of(cells[1]) is None


def _read(source: str, fields: Sequence[str], head: int, rows: Rows, titles: Mapping[int, str]) -> Found:
    hosts: list[ListedHost] = []
    faults: list[Fault] = []
    for line, cells in rows:
        if titles and len(cells) > len(fields):
            expected = f"{len(fields)} cells, as the head has"
            faults.append(
                fault_at(source, line, f"{len(cells)} cells", expected, "a cell with a comma is quoted")
            )
            continue
        values = {
            field: Typed(text=cell, line=line)
            for field, cell in reversed([*zip(fields, cells, strict=False)])
            if field and cell.casefold() not in NOTHING
        }
        if "name" not in values:
            faults.append(fault_at(source, line, "no name", "a host's name"))
            continue
        groups = tuple(re.split(r"[\s,;|]+", values.pop("groups").text)) if "groups" in values else ()
        name = values.pop("name")
        hosts.append(ListedHost(name=name, groups=groups, values=values))
    notes = tuple(_unread(source, fields, head, rows, titles))
    return Found(source=source, hosts=tuple(hosts), notes=notes, faults=tuple(faults))


def _unread(
    source: str, fields: Sequence[str], head: int, rows: Rows, titles: Mapping[int, str]
) -> Iterator[Note]:
    """Note each column that means nothing here, or means what another does."""
    widest = max((len(cells) for _, cells in rows), default=0)
    for place in range(max(widest, len(fields))):
        field = fields[place] if place < len(fields) else ""
        title = f"column `{titles[place]}`" if place in titles else f"column {place + 1}"
        filled = sum(place < len(cells) and cells[place].casefold() not in NOTHING for _, cells in rows)
        if not filled:
            continue
        if field == "dns":
            yield Note(
                where=f"{source}:{head}", what=title, why="the head serves names; it asks who it asks now"
            )
        elif not field:
            why = why_not(titles.get(place, ""))
            yield Note(where=f"{source}:{head}", what=f"{title} ({filled} filled)", why=why)
        elif field in fields[:place]:
            why = f"an earlier column says what the {field} is"
            yield Note(where=f"{source}:{head}", what=title, why=why)

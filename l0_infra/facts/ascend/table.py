"""The table of `npu-smi info`: two lines a chip, then the processes; in all shapes that the tool has had.

The second line is headed `Chip`, `Chip Phy-ID` or `Chip Device`; NPUs without chips of their own (950) leave it blank.
Sources: the tool's own code, https://gitcode.com/cann/driver (src/custom/dev_prod/user/npucli), and vendor manuals.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from l0_infra.facts.tree import integer
from l0_infra.facts.vendor import mebibytes, pid, program
from l0_infra.schemas import AcceleratorProcess

__all__ = ["Chip", "ChipKey", "Table", "parse_table"]

ChipKey = tuple[int, int]
"""NPU and chip, as printed: queries and processes name a chip by both."""

NAMED = re.compile(r"([0-9]{1,4})\s+(\S*[A-Za-z].*)")
NUMBERED = re.compile(r"([0-9]{1,4})?(?:\s+([0-9]{1,4}))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Chip:
    """One chip, in the words of its two lines; `number` is its own id where the second line tells one."""

    key: ChipKey
    number: int | None
    name: str
    health: str
    power: str
    temperature: str
    bus: str
    usage: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """What the table says; `held` is None where it has no processes, `strange` are lines of chips that are none."""

    chips: tuple[Chip, ...] = ()
    held: tuple[tuple[ChipKey, AcceleratorProcess], ...] | None = None
    driver: str | None = None
    strange: tuple[str, ...] = ()


def parse_table(text: str) -> Table:
    """Read the table; lines that belong to no chip are kept, so that what is lost can be told."""
    rows = [_cells(line) for line in text.split("\n")]
    start = next((at for at, row in enumerate(rows) if "Process id" in row), None)
    chips, strange = _chips(rows[:start])
    driver = re.search(r"Version:\s{0,80}(\S{1,80})", text)
    return Table(
        chips=tuple(chips),
        held=None if start is None else tuple(_processes(rows[start:])),
        driver=driver[1] if driver else None,
        strange=tuple(strange),
    )


def _cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in line.strip().split("|")]
    return cells[1:-1] if len(cells) > 2 else []


def _chips(rows: list[list[str]]) -> tuple[list[Chip], list[str]]:
    """Join the line that names an NPU with the line of its chip."""
    chips: list[Chip] = []
    strange: list[str] = []
    first: tuple[re.Match[str], list[str]] | None = None
    for cells in rows:
        row = _three(cells)
        named, numbered = NAMED.fullmatch(row[0]), NUMBERED.fullmatch(row[0])
        if first and numbered and any(row):
            chips.append(_chip(*first, numbered, row))
            first = None
        elif named:
            strange += [first[0][0]] if first else []
            first = (named, row)
        elif cells and cells[0][:1].isdigit():
            strange.append(" | ".join(cells))
    return chips, [*strange, *([first[0][0]] if first else [])]


def _three(row: list[str]) -> list[str]:
    """Bring a line to three cells: one kind of table has id and name in two; any other line is no line of a chip."""
    if len(row) == 4:
        return [f"{row[0]} {row[1]}".strip(), *row[2:]]
    return row if len(row) == 3 else ["", "", ""]


def _chip(named: re.Match[str], first: list[str], numbered: re.Match[str], second: list[str]) -> Chip:
    power, temperature, *_ = [*first[2].split(), "", ""]
    return Chip(
        key=(int(named[1]), int(numbered[1] or 0)),
        number=integer(numbered[2]),
        name=named[2].strip(),
        health=first[1],
        power=power,
        temperature=temperature,
        bus=second[1],
        usage=second[2],
    )


def _processes(rows: list[list[str]]) -> Iterator[tuple[ChipKey, AcceleratorProcess]]:
    for row in rows:
        place = NUMBERED.fullmatch(row[0]) if len(row) == 4 else None
        process = pid(row[1]) if place and place[1] else None
        if place and process is not None:
            held = AcceleratorProcess(pid=process, memory_bytes=mebibytes(row[3]), name=program(row[2]))
            yield (int(place[1]), int(place[2] or 0)), held

"""What a report is made of, as data: a head, sections, and in them figures, tables, bars, quotes and what is folded."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ogai.render.report.figures import Drawing, Key, Tone
from ogai.render.report.lanes import Lanes

__all__ = [
    "Bar",
    "BarPart",
    "Block",
    "Cell",
    "Code",
    "Column",
    "Fact",
    "Facts",
    "Figure",
    "Fold",
    "Heading",
    "HeatGroup",
    "HeatMap",
    "HeatRow",
    "HeatRun",
    "Page",
    "Pair",
    "Prose",
    "Quote",
    "Quotes",
    "Row",
    "Section",
    "Status",
    "Table",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """One number that matters, its name, and what is to be known of it."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """A few numbers in large type."""

    kind: ClassVar[str] = "facts"
    facts: tuple[Fact, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Prose:
    """A sentence or two."""

    kind: ClassVar[str] = "prose"
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Heading:
    """A title within a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A chart with its title, its legend and what is to be known to read it."""

    kind: ClassVar[str] = "figure"
    title: str
    drawing: Drawing
    legend: tuple[Key, ...] = ()
    caption: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """Two figures, side by side where there is room."""

    kind: ClassVar[str] = "pair"
    figures: tuple[Figure, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """The head of a column: `word` is never broken, `number` aligns its digits, `code` is for machines."""

    title: str
    style: Literal["text", "word", "number", "code", "head"] = "text"


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One value of a table, with a spot of colour before it and a remark below it where they are given."""

    text: str
    tone: Tone | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One row of a table."""

    cells: tuple[Cell, ...]
    emphasis: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Rows under heads."""

    kind: ClassVar[str] = "table"
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    stacked: bool = False
    """Whether on a narrow page each value has a line of its own, as it is with more than four columns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BarPart:
    """A part of a whole, as a share of 1."""

    name: str
    share: float
    tone: Tone
    label: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """A whole and its parts, side by side in their order."""

    kind: ClassVar[str] = "bar"
    title: str
    parts: tuple[BarPart, ...]
    ends: tuple[str, str] = ("", "")
    """What stands below its two ends."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HeatRun:
    """So many columns of a row next to each other that look alike; `first` counts from 0."""

    first: int
    count: int
    tone: Tone
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class HeatRow:
    """One row of a heat map; between its runs is nothing."""

    label: str
    runs: tuple[HeatRun, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class HeatGroup:
    """So many columns from the left, or from the group before, that belong together."""

    name: str
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class HeatMap:
    """Rows of colours over common columns, which may be four or thousands; `names` are those of few columns."""

    kind: ClassVar[str] = "heat"
    columns: int
    rows: tuple[HeatRow, ...]
    groups: tuple[HeatGroup, ...] = ()
    names: tuple[str, ...] = ()
    legend: tuple[Key, ...] = ()
    caption: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """A text somebody or something wrote; `before` is what it was given, `label` is where it stands."""

    label: str
    before: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Quotes:
    """Texts below each other."""

    kind: ClassVar[str] = "quotes"
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Code:
    """A text that machines read."""

    kind: ClassVar[str] = "code"
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Fold:
    """Blocks that are seen when their title is clicked; on paper they are all seen or not at all."""

    kind: ClassVar[str] = "fold"
    title: str
    blocks: "tuple[Block, ...]"
    note: str = ""
    tone: Tone | None = None
    printed: bool = True


Block = Facts | Prose | Heading | Figure | Pair | Table | Bar | HeatMap | Lanes | Quotes | Code | Fold


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A heading and what stands under it."""

    title: str
    blocks: tuple[Block, ...]
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """How it stands, in a word."""

    word: str
    tone: Tone


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A whole report."""

    title: str
    kicker: str
    """What kind of report it is, above the title."""
    lead: str
    status: Status | None = None
    facts: tuple[Fact, ...] = ()
    sections: tuple[Section, ...] = field(default=())
    foot: str = ""
    """Who made it and when."""

"""The tree a file is read into: texts, lists and mappings that remember where they stood."""

from __future__ import annotations

from msgspec import Struct

from l0_infra.core.errors import Fault
from l0_infra.core.errors import FieldPath as Path

__all__ = [
    "Broken",
    "Finding",
    "Listing",
    "Mapping",
    "Node",
    "Path",
    "Place",
    "Scalar",
    "finding",
    "key_place",
    "node_at",
]


class Place(Struct, frozen=True, order=True):
    """A position; `line` and `column` count from 1; `order` ranks sources: the file is 0, settings follow.

    Only a file is told with line and column: a setting is short enough to be its own place.
    """

    order: int
    line: int
    column: int
    source: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.order == 0 else self.source


class Finding(Struct, frozen=True):
    """A fault with the place that sorts it among the others."""

    place: Place
    fault: Fault


def finding(place: Place, found: str, expected: str, hint: str = "", path: Path = ()) -> Finding:
    """Make a fault that knows where it stands."""
    return Finding(place, Fault(path=path, found=found, expected=expected, hint=hint, where=str(place)))


class Broken(Exception):
    """What follows cannot be understood; holds the finding."""

    def __init__(self, place: Place, found: str, expected: str, hint: str = "") -> None:
        super().__init__(found)
        self.finding = finding(place, found, expected, hint)


class Scalar(Struct, frozen=True, kw_only=True):
    """A text as typed; `plain` means without quotes, so that it may also be a number, true, false or null."""

    place: Place
    text: str
    plain: bool
    last_line: int

    @property
    def is_null(self) -> bool:
        """Whether it says null: nothing at all, `~` or `null`, without quotes."""
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")


class Listing(Struct, frozen=True, kw_only=True):
    """A list."""

    place: Place
    items: tuple[Node, ...]


class Mapping(Struct, frozen=True, kw_only=True):
    """Keys with their values, in the order of the text; `keys` holds where each key stands."""

    place: Place
    keys: dict[str, Place]
    values: dict[str, Node]


Node = Scalar | Listing | Mapping


def node_at(root: Node, path: Path) -> Node:
    """The node at `path`, or the nearest one around it that exists."""
    node = root
    for step in path:
        if isinstance(node, Mapping) and step in node.values:
            node = node.values[str(step)]
        elif isinstance(node, Listing) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        else:
            break
    return node


def key_place(root: Node, path: Path) -> Place:
    """Where the key that ends `path` stands, or the mapping that should hold it."""
    around = node_at(root, path[:-1])
    return around.keys.get(str(path[-1]), around.place) if isinstance(around, Mapping) else around.place

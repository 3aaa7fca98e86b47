"""A framework's table: which of its fields says what, one row for each field of a strategy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter

from l3_modeltools.frameworks.translate.config import Config, Value
from l3_modeltools.frameworks.translate.told import Told

__all__ = ["Beyond", "Names", "Row", "Table", "number", "silent", "switch"]

Names = Mapping[str, Value]


def silent(told: Told) -> Names:
    """Write nothing: the framework's default is meant, or it has no such field."""
    return {}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One field of a strategy (`degrees.tp`), of `workload` or of `practice`, and the framework's names for it."""

    path: str
    names: tuple[str, ...]
    read: Callable[[Config], object]
    """What the names say, their defaults filled in; None: nothing."""
    write: Callable[[Told], Names] = silent
    note: str = ""
    """What the documentation says of it, where the names alone do not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Beyond:
    """A field that says something of the cut for which a strategy has no words."""

    name: str
    when: Callable[[Config], bool]
    """Whether its value differs from what a strategy means."""
    lost: str
    instead: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """All that is known of one framework's configuration."""

    framework: str
    practice: str
    """Whose practice it is, of `PRACTICES`."""
    rows: tuple[Row, ...]
    beyond: tuple[Beyond, ...]
    reasons: Mapping[str, str]
    """Why a field of a strategy may not carry over, by path."""
    layers: Callable[[Config], int | None]
    """Layers of the model, those for multi-token prediction included."""
    render: Callable[[Names], Mapping[str, str] | tuple[str, ...]]
    """Files by name, or arguments."""
    sources: tuple[str, ...]
    """`repository@commit path` that say so."""
    aside: frozenset[str] = frozenset()
    """Names that are read along with others, and thus are not unknown."""


def number(path: str, name: str, default: int = 1, *, note: str = "") -> Row:
    """A count that both sides write alike."""
    return Row(
        path=path,
        names=(name,),
        read=lambda config: config.count(name, default),
        write=lambda told: {name: attrgetter(path)(told.strategy)},
        note=note,
    )


def switch(path: str, name: str, *, default: bool = False) -> Row:
    """A truth value that both sides write alike."""
    return Row(
        path=path,
        names=(name,),
        read=lambda config: config.flag(name, default=default),
        write=lambda told: {name: attrgetter(path)(told.strategy)},
    )

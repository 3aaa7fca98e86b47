"""What a list of hosts says before it is a cluster: each value as typed, with the line it stands on."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from l0_infra.core.errors import Fault

__all__ = ["Found", "ListedHost", "Note", "Typed", "fault_at"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Typed:
    """A text as it was typed, and its line; of a list or a mapping only that it is one."""

    text: str
    line: int
    nested: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedHost:
    """One host: its name, the groups it is in, and its values by the words of `words.py`."""

    name: Typed
    groups: tuple[str, ...] = ()
    values: Mapping[str, Typed] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """Something that was read and does not come into the cluster's document: where, what, and why not."""

    where: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: {self.why}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """All hosts of a list, what of it has no place in a cluster's document, and what is wrong with it."""

    source: str
    hosts: tuple[ListedHost, ...] = ()
    notes: tuple[Note, ...] = ()
    faults: tuple[Fault, ...] = ()


def fault_at(source: str, line: int, found: str, expected: str, hint: str = "") -> Fault:
    """Make a fault of a line."""
    return Fault(path=(), where=f"{source}:{line}", found=found, expected=expected, hint=hint)

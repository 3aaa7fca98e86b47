"""What a role leaves on one node, with the node's variables put in: the things that a look asks for."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import msgspec

from l0_infra.core.errors import EngineError
from l0_infra.schemas import Outcome

__all__ = ["Item", "Kind", "items_of"]

Kind = Literal["file", "service", "package", "command"]

VARIABLE = re.compile(r"\{([a-z][a-z0-9_]*)\}")


class Item(NamedTuple):
    """One thing that is looked at."""

    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def items_of(outcome: Outcome, variables: Mapping[str, str]) -> tuple[Item, ...]:
    """List the things of an outcome; `variables` are JSON texts.

    An entry that is a variable and nothing else stands for each of its texts when it is a list. An entry with a
    variable that is empty, null or false is left out. Raises EngineError for a variable that the role lacks.
    """
    entries: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        ("file", outcome.files),
        ("service", outcome.services),
        ("package", outcome.packages),
        ("command", outcome.commands),
    )
    found = (
        Item(kind, text) for kind, texts in entries for entry in texts for text in _filled(entry, variables)
    )
    return tuple(dict.fromkeys(found))


def _filled(entry: str, variables: Mapping[str, str]) -> Iterator[str]:
    values = {name: _value(name, entry, variables) for name in VARIABLE.findall(entry)}
    if any(value in ("", None, False, [], {}) for value in values.values()):
        return
    whole = VARIABLE.fullmatch(entry)
    listed = values[whole[1]] if whole else None
    if isinstance(listed, list):
        yield from map(str, listed)
    else:
        yield VARIABLE.sub(lambda match: str(values[match[1]]), entry).strip()


def _value(name: str, entry: str, variables: Mapping[str, str]) -> object:
    text = variables.get(name)
    if text is None:
        raise EngineError(
            f"outcome `{entry}`", found=f"the variable `{name}`", expected="a variable of the role"
        )
    value = msgspec.json.decode(text)
    if "{{" in text:
        raise EngineError(
            f"outcome `{entry}`",
            found=f"`{name}` is {value!r}",
            expected="a value that is decided before Ansible runs",
        )
    return value

"""Text and arguments become a flat configuration: every value under its whole name, with where it stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from l0_infra.core.errors import DocumentError, Fault
from l3_modeltools.frameworks.translate.config import Found, Value

if TYPE_CHECKING:
    from yaml import MarkedYAMLError, Node

__all__ = ["argument_values", "plain", "toml_values", "yaml_values"]

DEEPEST = 32
MOST_VALUES = 20_000
NUMBER = re.compile(r"[+-]?\d[\d_]*")
FRACTION = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?")


def yaml_values(text: str, source: str) -> dict[str, Found]:
    """YAML, and JSON as a part of it. Raises DocumentError for a fault of the syntax, and for no mapping."""
    import yaml

    try:
        root = yaml.compose(text.replace("\t", "  "), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        values = dict(islice(_leaves(root, "", source, 0), MOST_VALUES))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source
        found = getattr(error, "problem", None) or "what is no YAML"
        raise DocumentError(
            source, [Fault(path=(), found=found, expected="YAML or JSON", where=where)]
        ) from None
    if "" in values or not values:
        raise DocumentError(
            source, [Fault(path=(), found="no section", expected="sections of fields", where=source)]
        )
    return values


def toml_values(text: str, source: str) -> dict[str, Found]:
    """TOML. Raises DocumentError for a fault of the syntax."""
    try:
        root = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+), column (\d+)", str(error))
        where = f"{source}:{place[1]}:{place[2]}" if place else source
        fault = Fault(path=(), found=str(error), expected="TOML", where=where)
        raise DocumentError(source, [fault]) from None
    lines = _toml_lines(text)
    return {
        name: Found(value=value, where=f"{source}:{lines.get(name, 1)}:1") for name, value in _items(root, "")
    }


def argument_values(
    argv: Sequence[str], *, flags: Mapping[str, Value], known: frozenset[str], source: str = "argument"
) -> dict[str, Found]:
    """Arguments as argparse takes them: `--name value …`, `--name=value`, and flags, which take none.

    `flags` says what each flag means; `known` are further names. A name that is neither takes what follows it.
    Raises DocumentError for a known name without its value.
    """
    values: dict[str, Found] = {}
    for index, name, given in _options(argv):
        where = f"{source} {index}"
        if name in flags and not given:
            values[name] = Found(value=flags[name], where=where)
        elif not given and name in known:
            fault = Fault(path=(name,), found=f"`{name}` without a value", expected="a value", where=where)
            raise DocumentError(source, [fault])
        else:
            told = tuple(plain(word) for word in given)
            values[name] = Found(value=told[0] if len(told) == 1 else told or True, where=where)
    return values


def plain(text: str) -> Value:
    """What a text without quotes means: a number, true, false, null, or the text."""
    if text in ("", "~", "null", "Null", "NULL", "None"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    if NUMBER.fullmatch(text):
        return int(text)
    return float(text) if FRACTION.fullmatch(text) else text


def _options(argv: Sequence[str]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Yield each option, counted from 1, with the words up to the next one."""
    index = 0
    while index < len(argv):
        word, first = argv[index], index
        index += 1
        if not word.startswith("--"):
            yield first + 1, word, ()
            continue
        name, equals, value = word.partition("=")
        words = [value] if equals else []
        while not equals and index < len(argv) and not argv[index].startswith("--"):
            if words and not _continues(argv[index]):
                break
            words.append(argv[index])
            index += 1
        yield first + 1, name, tuple(words)


def _continues(word: str) -> bool:
    """Whether a further word belongs to the option before: numbers do, as of `--split 99 8 2`."""
    return isinstance(plain(word), int | float)


def _leaves(node: Node | None, name: str, source: str, depth: int) -> Iterator[tuple[str, Found]]:
    import yaml

    if depth > DEEPEST:
        raise _too_deep(node)
    if isinstance(node, yaml.MappingNode):
        for key, inner in node.value:
            word = str(key.value)
            yield from _leaves(inner, f"{name}.{word}" if name else word, source, depth + 1)
    elif node is not None:
        mark = node.start_mark
        yield name, Found(value=_value(node, depth), where=f"{source}:{mark.line + 1}:{mark.column + 1}")


def _value(node: Node, depth: int) -> Value:
    import yaml

    if depth > DEEPEST:
        raise _too_deep(node)
    if isinstance(node, yaml.SequenceNode):
        return tuple(_value(item, depth + 1) for item in node.value)
    if isinstance(node, yaml.MappingNode):
        return tuple((str(key.value), _value(inner, depth + 1)) for key, inner in node.value)
    text = str(node.value)
    return text if node.tag == "tag:yaml.org,2002:str" and not FRACTION.fullmatch(text) else plain(text)


def _too_deep(node: Node | None) -> MarkedYAMLError:
    from yaml import MarkedYAMLError

    return MarkedYAMLError(problem="too many levels", problem_mark=node.start_mark if node else None)


def _items(table: Mapping[str, object], name: str) -> Iterator[tuple[str, Value]]:
    for key, value in table.items():
        whole = f"{name}.{key}" if name else key
        if isinstance(value, dict):
            yield from _items(value, whole)
        else:
            yield whole, _tuple(value)


def _tuple(value: object) -> Value:
    if isinstance(value, list):
        return tuple(_tuple(item) for item in value)
    return value if isinstance(value, bool | int | float | str) else str(value)


def _toml_lines(text: str) -> dict[str, int]:
    """The line of each key, by its whole name; tomllib does not tell."""
    section, lines = "", {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            section = f"{header[1].strip()}."
        elif key := re.match(r"\s*([\w.-]+|\"[^\"]+\")\s*=", line):
            lines[section + key[1].strip('"')] = number
    return lines

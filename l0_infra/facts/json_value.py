"""JSON whose shape differs between versions of a tool, walked without trusting it."""

import re
from collections.abc import Mapping, Sequence

import msgspec

__all__ = ["Json", "decode", "dig", "items", "keys", "size_bytes", "word"]

Json = Mapping[str, "Json"] | Sequence["Json"] | str | float | int | bool | None

UNITS = {"": 1, "B": 1, "KB": 2**10, "KIB": 2**10, "MB": 2**20, "MIB": 2**20, "GB": 2**30, "GIB": 2**30}
"""These tools write MB and mean 2**20 bytes."""


def decode(text: str) -> Json:
    """Read the JSON in a text that may begin with warnings; None when there is none."""
    start = re.search(r"^[\[{]", text, re.M)
    try:
        value: Json = msgspec.json.decode(text[start.start() :].strip()) if start else None
    except (msgspec.DecodeError, RecursionError):
        return None
    return value


def dig(value: Json, *keys: str) -> Json:
    """Follow keys into objects; None where one is missing or the value is no object."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def items(value: Json) -> Sequence[Json]:
    """Return a list as it is, and nothing for anything else."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def keys(value: Json) -> Sequence[str]:
    """Return the keys of an object, and nothing for anything else."""
    return tuple(value) if isinstance(value, Mapping) else ()


def word(value: Json) -> str:
    """Return a scalar as text, also from `{"value": 3, "unit": "%"}`; empty for anything else."""
    value = dig(value, "value") if isinstance(value, Mapping) else value
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def size_bytes(value: Json) -> int | None:
    """Read a size with its unit, `{"value": 4, "unit": "MB"}` or `4 MB`; None when it is none."""
    written = f"{word(value)} {word(dig(value, 'unit'))}"
    match = re.fullmatch(r"([0-9]{1,18})\s*([A-Za-z]*)\s*", written)
    unit = UNITS.get(match[2].upper()) if match else None
    return int(match[1]) * unit if match and unit else None

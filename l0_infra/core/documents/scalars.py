"""A text as typed becomes the value wanted in its place; what does not fit stays text."""

import math
import re

from msgspec import inspect

from l0_infra.core.documents.tree import Scalar
from l0_infra.core.errors import UsageError
from l0_infra.core.units import parse_bytes, parse_duration

__all__ = ["Unit", "Value", "scalar_value"]

Value = str | int | float | bool | None
Unit = str | None
"""The `x-unit` of a field: `bytes`, `seconds` or none."""

_INTEGER = re.compile(r"[-+]?[0-9]{1,19}", re.ASCII)
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_BOOLEANS = {"true": True, "false": False}


def scalar_value(scalar: Scalar, wanted: inspect.Type, unit: Unit) -> Value:
    """Turn a scalar into what `wanted` asks for, or leave it the text it is.

    `010` is ten where a number is wanted and `010` where a text is; only `true` and `false` are booleans.
    """
    if isinstance(wanted, inspect.StrType | inspect.AnyType):
        return None if scalar.plain and not scalar.text else scalar.text
    if scalar.is_null:
        return None
    if unit is not None:
        return _whole(_quantity(scalar.text, unit), wanted)
    if not scalar.plain:
        return scalar.text
    return _plain_value(scalar.text, wanted)


def _plain_value(text: str, wanted: inspect.Type) -> Value:
    if isinstance(wanted, inspect.IntType):
        return _integer(text)
    if isinstance(wanted, inspect.FloatType):
        return _number(text)
    if isinstance(wanted, inspect.BoolType):
        return _BOOLEANS.get(text, text)
    if isinstance(wanted, inspect.LiteralType) and text not in wanted.values:
        return _integer(text)
    return text


def _integer(text: str) -> int | str:
    if not _INTEGER.fullmatch(text):
        return text
    number = int(text)
    return number if -(2**63) <= number < 2**63 else text


def _number(text: str) -> float | str:
    if not _NUMBER.fullmatch(text) or math.isinf(float(text)):
        return text
    return float(text)


def _whole(value: int | float | str, wanted: inspect.Type) -> int | float | str:
    """Give a whole number where one is wanted: durations are read as numbers with a fraction."""
    whole = isinstance(wanted, inspect.IntType) and isinstance(value, float) and value.is_integer()
    return int(value) if whole else value


def _quantity(text: str, unit: str) -> int | float | str:
    try:
        if unit == "bytes":
            return _integer(text) if _INTEGER.fullmatch(text) else _integer(str(parse_bytes(text)))
        return _number(text) if _NUMBER.fullmatch(text) else parse_duration(text)
    except UsageError:
        return text

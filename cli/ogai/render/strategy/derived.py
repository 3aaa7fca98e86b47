"""A derivation as a person reads it: the formula, the same with its values, what each symbol is, who says so."""

import re
from collections.abc import Iterator

from l0_infra.core.units import format_bytes
from l3_modeltools import Derivation
from ogai.render.strategy.words import step

__all__ = ["derivation_lines", "number", "put_in", "quantity", "symbols"]

SYMBOL = re.compile(r"[A-Za-z_]\w*")
SHORT = 120
"""Characters of a formula with its values; a longer one says no more than the table of its symbols."""


def quantity(one: Derivation) -> str:
    """A number with its unit; counts and shares have none."""
    if one.unit == "bytes":
        return format_bytes(round(one.value))
    return step(one.value) if one.unit == "s" else number(one.value)


def number(value: float) -> str:
    """A value that is put in, in six digits; counts of anything are whole."""
    if value == int(value) and abs(value) < 1e12:
        return f"{value:,.0f}"
    return f"{value:.6g}"


def symbols(one: Derivation) -> Iterator[tuple[str, str, str]]:
    """Name, value and meaning of all that a formula is worked out with: what is given, then its parts."""
    for given in one.inputs:
        yield given.symbol, number(given.value), given.meaning
    for part in one.parts:
        yield part.name, quantity(part), part.meaning


def put_in(one: Derivation) -> str:
    """The formula with values in the place of symbols; nothing where that is too long to be read."""
    values = {given.symbol: number(given.value).replace(",", "") for given in one.inputs}
    values |= {part.name: number(part.value).replace(",", "") for part in one.parts}
    text = SYMBOL.sub(lambda found: values.get(found[0], found[0]), one.formula)
    return text if len(text) <= SHORT else ""


def derivation_lines(one: Derivation) -> Iterator[str]:
    """A number with its formula and all symbols; parts are told with their values, and derived by their own names."""
    yield f"{one.name} = {quantity(one)}  {one.meaning}"
    yield f"  = {one.formula}"
    if told := put_in(one):
        yield f"  = {told}"
    rows = list(symbols(one))
    names, values = (max((len(row[at]) for row in rows), default=0) for at in (0, 1))
    for name, value, meaning in rows:
        yield f"    {name:<{names}}  {value:>{values}}  {meaning}".rstrip()
    if one.source:
        yield f"  from {one.source}"

"""Printed derivations as the arithmetic that they are."""

import math
from collections.abc import Iterator

from l3_modeltools.planning.explain import Derivation

__all__ = ["FUNCTIONS", "every", "worked_out"]

FUNCTIONS = {"max", "min", "ceil", "log2"}


def every(one: Derivation) -> Iterator[Derivation]:
    yield one
    for part in one.parts:
        yield from every(part)


def worked_out(one: Derivation) -> float:
    names = {given.symbol: given.value for given in one.inputs} | {
        part.name: part.value for part in one.parts
    }
    return float(
        eval(
            one.formula,
            {"__builtins__": {}, "max": max, "min": min, "ceil": math.ceil, "log2": math.log2},
            names,
        )
    )

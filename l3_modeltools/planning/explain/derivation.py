"""One number with its formula: what a person needs to work it out again."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Derivation", "Input", "inputs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Input:
    """A symbol of a formula, its value, and what it is."""

    symbol: str
    value: float
    meaning: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Derivation:
    """A number, in `unit`, by a formula of Python's arithmetic over `inputs` and `parts`, each a symbol by its name.

    Formulas use `max`, `min`, `ceil` and `log2` besides.
    """

    name: str
    meaning: str
    unit: str
    value: float
    formula: str
    inputs: tuple[Input, ...] = ()
    parts: tuple["Derivation", ...] = ()
    source: str = ""

    def find(self, name: str) -> "Derivation | None":
        """The part of this name, however deep; None where there is none."""
        if self.name == name:
            return self
        return next((found for part in self.parts if (found := part.find(name)) is not None), None)


def inputs(*rows: Sequence[str | float]) -> tuple[Input, ...]:
    """Inputs of rows of symbol, value and meaning."""
    return tuple(
        Input(symbol=str(symbol), value=float(value), meaning=str(meaning)) for symbol, value, meaning in rows
    )

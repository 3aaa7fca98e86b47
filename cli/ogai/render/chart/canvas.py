"""A field of dots behind a field of characters, in two layers: a cloud, and a line before it.

Ours, because the libraries that draw in terminals either print by themselves and keep one global figure (plotext),
need numpy (uniplot), or give a curve one point a column (asciichartpy); none knows layers, or what a mark is.
"""

from collections.abc import Iterator
from typing import Literal

__all__ = ["Canvas", "Layer"]

Layer = Literal["cloud", "line"]
BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of the dots of a pattern, by row and column (Unicode, block 2800)."""

HALVES = " '.:"
"""The upper dot, the lower one, both; in ASCII a character has two."""


class Canvas:
    """Dots count from the upper left; those outside are left out."""

    def __init__(self, columns: int, rows: int, *, braille: bool) -> None:
        self.columns, self.rows, self.braille = columns, rows, braille
        self.across, self.down = (2, 4) if braille else (1, 2)
        self.layers: dict[Layer, list[list[int]]] = {
            layer: [[0] * columns for _ in range(rows)] for layer in ("cloud", "line")
        }

    @property
    def width(self) -> int:
        """Dots across."""
        return self.columns * self.across

    @property
    def height(self) -> int:
        """Dots down."""
        return self.rows * self.down

    def dot(self, x: int, y: int, layer: Layer) -> None:
        """Set one dot."""
        if 0 <= x < self.width and 0 <= y < self.height:
            right, below = x % self.across, y % self.down
            bit = BRAILLE[below][right] if self.braille else 1 << below
            self.layers[layer][y // self.down][x // self.across] |= bit

    def line(self, x: int, y: int, to_x: int, to_y: int, layer: Layer) -> None:
        """Set the dots from one to another."""
        length = max(abs(to_x - x), abs(to_y - y), 1)
        for place in range(length + 1):
            along = place / length
            self.dot(round(x + (to_x - x) * along), round(y + (to_y - y) * along), layer)

    def row(self, number: int) -> Iterator[tuple[str, Layer | None]]:
        """Yield the characters of a row from left to right, each with the foremost layer in it."""
        pairs = zip(self.layers["cloud"][number], self.layers["line"][number], strict=True)
        for cloud, line in pairs:
            layer: Layer | None = "line" if line else "cloud" if cloud else None
            yield self.sign(cloud, line), layer

    def sign(self, cloud: int, line: int) -> str:
        """Return the character for the dots of both layers."""
        if not cloud and not line:
            return " "
        if self.braille:
            return chr(0x2800 + (cloud | line))
        return "*" if line else HALVES[cloud]

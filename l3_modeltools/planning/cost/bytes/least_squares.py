"""Linear least squares for a handful of unknowns, so that planning needs no numerical library."""

from collections.abc import Sequence

__all__ = ["least_squares"]

TINY = 1e-12
"""Weight, of the largest, with which an unknown is pulled to 0, so that what no equation tells of is 0."""


def least_squares(
    rows: Sequence[Sequence[float]], values: Sequence[float], pulls: Sequence[float]
) -> list[float]:
    """Minimise |rows · x - values|² + |pulls ∘ x|² by its normal equations, unknowns scaled to their columns."""
    size = len(pulls)
    norms = [sum(row[i] ** 2 for row in rows) ** 0.5 or 1.0 for i in range(size)]
    scaled = [[row[i] / norms[i] for i in range(size)] for row in rows]
    matrix = [
        [
            sum(row[i] * row[j] for row in scaled) + (i == j) * (TINY + (pulls[i] / norms[i]) ** 2)
            for j in range(size)
        ]
        for i in range(size)
    ]
    right = [sum(row[i] * value for row, value in zip(scaled, values, strict=True)) for i in range(size)]
    return [x / norm for x, norm in zip(_solved(matrix, right), norms, strict=True)]


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination of a positive definite system, which needs no pivots."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i, row in enumerate(rows):
        for lower in rows[i + 1 :]:
            factor = lower[i] / row[i]
            for j in range(i, len(row)):
                lower[j] -= factor * row[j]
    found = [0.0] * len(rows)
    for i in reversed(range(len(rows))):
        known = sum(rows[i][j] * found[j] for j in range(i + 1, len(rows)))
        found[i] = (rows[i][-1] - known) / rows[i][i]
    return found

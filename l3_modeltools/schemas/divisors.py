"""How a division that leaves a remainder is told, and the nearest number that leaves none."""

__all__ = ["division", "near_divisors", "near_multiples"]


def division(name: str, whole: int, part: int) -> str:
    """Write a division that leaves a remainder as an equation: `heads 30 = 4 × 7 + 2`."""
    return f"{name} {whole} = {part} × {whole // part} + {whole % part}"


FAR = 100_000
"""Numbers that are tried on either side: a hint must not take longer than what it is for."""


def near_divisors(whole: int, wish: int) -> str:
    """Name the divisors of `whole` next to `wish`, up to its double: `4 or 8`; `wish` is none of them."""
    below, above = min(wish, whole), min(whole, 2 * wish, wish + FAR)
    low = next((number for number in range(below, max(0, below - FAR), -1) if whole % number == 0), None)
    high = next((number for number in range(wish, above + 1) if whole % number == 0), None)
    near = dict.fromkeys(number for number in (low, high) if number is not None)
    return " or ".join(map(str, near)) or f"none within {FAR:,} of it"


def near_multiples(unit: int, wish: int) -> str:
    """Name the positive multiples of `unit` next to `wish`: `48 or 64`; `wish` is none of them."""
    low = wish // unit * unit
    return f"{low} or {low + unit}" if low else f"{unit}"

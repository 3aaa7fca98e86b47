"""How a division that leaves a remainder is told, and the nearest number that leaves none."""

__all__ = ["division", "near_divisors", "near_multiples"]


def division(name: str, whole: int, part: int) -> str:
    """Write a division that leaves a remainder as an equation: `heads 30 = 4 × 7 + 2`."""
    return f"{name} {whole} = {part} × {whole // part} + {whole % part}"


def near_divisors(whole: int, wish: int) -> str:
    """Name the divisors of `whole` next to `wish`, up to its double: `4 or 8`; `wish` is none of them."""
    low = next(number for number in range(min(wish, whole), 0, -1) if whole % number == 0)
    high = next((number for number in range(wish, min(whole, 2 * wish) + 1) if whole % number == 0), low)
    return f"{low}" if low == high else f"{low} or {high}"


def near_multiples(unit: int, wish: int) -> str:
    """Name the positive multiples of `unit` next to `wish`: `48 or 64`; `wish` is none of them."""
    low = wish // unit * unit
    return f"{low} or {low + unit}" if low else f"{unit}"

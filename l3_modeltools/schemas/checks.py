"""The checks that several of this layer's documents make: repetitions, divisions, the nearest legal number."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from l0_infra.core.errors import Fault

__all__ = ["Path", "below", "division", "near_divisors", "near_multiples", "repeated"]

Path = tuple[str | int, ...]


def below(path: Path, faults: Iterator[Fault]) -> Iterator[Fault]:
    """Move the faults of a part to where the part stands."""
    for fault in faults:
        yield replace(fault, path=(*path, *fault.path))


def repeated(field: str, key: str, values: Sequence[str | int | None]) -> Iterator[Fault]:
    """Yield each value of `key` that an earlier entry of the list `field` has too; None is no value."""
    first: dict[str | int, int] = {}
    for index, value in enumerate(values):
        if value is not None and first.setdefault(value, index) != index:
            found = f"`{value}`, already that of {field}[{first[value]}]"
            yield Fault(path=(field, index, key), found=found, expected=f"a unique {key}")


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

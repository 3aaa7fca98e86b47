"""Two strategies side by side."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from l0_infra.core.units import format_bytes
from ogai.flows.strategy import Compared, Side
from ogai.render.strategy.words import rate, step
from ogai.render.table import Column, print_heading, print_table

__all__ = ["print_compared"]


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    left: str
    right: str
    change: str = ""


def print_compared(compared: Compared) -> None:
    """Print what differs, then seconds by term and bytes of the fullest stage by term, with the change."""
    left, right = compared.left, compared.right
    print_heading("What differs")
    facts = [Line(name, left.facts.get(name, "-"), right.facts.get(name, "-")) for name in compared.differing]
    _print(compared, facts or [Line("nothing", "", "")])
    print()
    print_heading("A step")
    _print(compared, [*_terms(left.seconds, right.seconds, step), _whole(left, right)])
    print()
    print_heading(f"Memory of the fullest stage, of {format_bytes(compared.device_memory_bytes)}")
    peak = Line(
        "all", _bytes(left.peak_bytes), _bytes(right.peak_bytes), _change(left.peak_bytes, right.peak_bytes)
    )
    _print(compared, [*_terms(left.bytes, right.bytes, _bytes), peak])


def _print(compared: Compared, lines: Iterable[Line]) -> None:
    print_table(
        (
            Column[Line](title="", value=lambda one: one.name),
            Column[Line](title=compared.left.name, value=lambda one: one.left, align="right"),
            Column[Line](title=compared.right.name, value=lambda one: one.right, align="right"),
            Column[Line](title="CHANGE", value=lambda one: one.change, align="right"),
        ),
        list(lines),
    )


def _whole(left: Side, right: Side) -> Line:
    told = (
        f"{step(left.step_s)}, {rate(left.tokens_per_s)}",
        f"{step(right.step_s)}, {rate(right.tokens_per_s)}",
    )
    return Line("all", *told, _change(left.step_s, right.step_s))


def _terms(
    left: dict[str, float] | dict[str, int],
    right: dict[str, float] | dict[str, int],
    write: Callable[[float], str],
) -> Iterator[Line]:
    """Terms that either has, the ones that change most first."""
    names = [name for name in left if left[name] or right.get(name, 0)]
    for name in sorted(names, key=lambda name: -abs(right.get(name, 0) - left[name])):
        one, other = left[name], right.get(name, 0)
        yield Line(name.replace("_", " "), write(one), write(other), _change(one, other))


def _bytes(size: float) -> str:
    return format_bytes(round(size))


def _change(left: float, right: float) -> str:
    if left == right:
        return "="
    return "new" if left == 0 else f"{right / left - 1:+.1%}"

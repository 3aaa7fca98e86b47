"""Bytes of pipeline stages as bars, term by term, beside what a device has."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from l0_infra.core.units import format_bytes

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["BANDS", "draw_legend", "draw_stages"]


@dataclass(frozen=True, slots=True)
class Band:
    """Terms that are drawn as one: their letter, where there are no colours, and their colour."""

    name: str
    letter: str
    colour: str
    terms: tuple[str, ...]


BANDS = (
    Band("weights", "W", "blue", ("weights",)),
    Band("gradients", "G", "cyan", ("gradients",)),
    Band("optimizer", "O", "magenta", ("master_and_moments",)),
    Band("activations", "A", "green", ("activations",)),
    Band("logits", "L", "yellow", ("logits",)),
    Band(
        "rest",
        "r",
        "bright_black",
        ("communication", "workspace", "fragmentation", "context"),
    ),
)
MOST = 12
"""Lines of a picture; more stages than that are told in groups of like ones."""
LABEL, VALUE = 13, 24


def draw_stages(
    stages: Sequence[dict[str, int]],
    layers: Sequence[int],
    capacity: int,
    width: int,
    *,
    coloured: bool,
    number: int = 0,
) -> Iterator["Text"]:
    """Yield a line for each stage, or the fullest of a group with like bars, as long as the device's memory is large.

    A bar that ends in an arrow needs more than there is. `number` is that of the first stage.
    """
    from rich.text import Text

    room = max(10, width - LABEL - VALUE)
    for first, last in _groups(stages, layers, capacity):
        fullest = max(stages[first : last + 1], key=_total)
        label = f"stage {number + first}" + (f"-{number + last}" if last > first else "")
        told = f"  {format_bytes(_total(fullest)):>8}, {_layers(layers[first : last + 1])}"
        bar = _bar(fullest, capacity, room, coloured=coloured)
        much = "red" if coloured and _total(fullest) > capacity else ""
        yield Text.assemble(f"{label:<{LABEL}}", bar, (told, much))


def draw_legend(*, coloured: bool) -> "Text":
    """Say which colour, or letter, is what."""
    from rich.text import Text

    legend = Text(" " * LABEL)
    for band in BANDS:
        legend.append("█ " if coloured else f"{band.letter} ", style=band.colour if coloured else "")
        legend.append(f"{band.name} ")
    legend.rstrip()
    return legend


def _bar(stage: dict[str, int], capacity: int, room: int, *, coloured: bool) -> "Text":
    from rich.text import Text

    bar, over = Text(), _total(stage) > capacity
    for band, cells in zip(BANDS, _cells(stage, capacity, room - over), strict=True):
        bar.append(("█" if coloured else band.letter) * cells, style=band.colour if coloured else "")
    bar.append(("░" if coloured else ".") * (room - over - bar.cell_len), style="dim")
    return bar.append(("▶" if coloured else ">") if over else "", style="red" if coloured else "")


def _total(stage: dict[str, int]) -> int:
    return sum(stage.values())


def _layers(layers: Sequence[int]) -> str:
    least, most = min(layers), max(layers)
    return f"{least}-{most} layers" if least < most else f"{most} layer{'s' * (most != 1)}"


def _cells(stage: dict[str, int], capacity: int, room: int) -> list[int]:
    """Cells of each band; they end where the sum up to there does, so that no rounding adds up."""
    ends, so_far = [0], 0
    for band in BANDS:
        so_far += sum(stage.get(term, 0) for term in band.terms)
        ends.append(min(room, round(so_far / capacity * room)))
    return [end - start for start, end in pairwise(ends)]


def _groups(stages: Sequence[dict[str, int]], layers: Sequence[int], capacity: int) -> list[tuple[int, int]]:
    """Runs of stages whose totals lie within a share of the device, as small a share as leaves few enough lines.

    What fits and what does not are never told as one.
    """
    totals = [_total(stage) for stage in stages]
    for share in (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 1.0):
        groups = [(0, 0)]
        for p in range(1, len(stages)):
            first = groups[-1][0]
            near = abs(totals[p] - totals[first]) <= share * capacity
            alike = (totals[p] <= capacity) == (totals[first] <= capacity)
            alike = alike and (layers[p] == layers[first] or share >= 0.1)
            if share and near and alike and p < len(stages) - 1:
                groups[-1] = (first, p)
            else:
                groups.append((p, p))
        if len(groups) <= MOST:
            return groups
    return groups

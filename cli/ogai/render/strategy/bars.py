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
LABEL, VALUE = 13, 22


def draw_stages(
    stages: Sequence[dict[str, int]],
    layers: Sequence[int],
    capacity: int,
    width: int,
    *,
    coloured: bool,
    number: int = 0,
) -> Iterator["Text"]:
    """Yield a line for each stage, or group of stages with like bars, as long as the device's memory is large.

    `number` is that of the first stage.
    """
    from rich.text import Text

    room = max(10, width - LABEL - VALUE)
    for first, last in _groups(stages, layers, capacity):
        stage = stages[first]
        used, total = Text(), sum(stage.values())
        for band, cells in zip(BANDS, _cells(stage, capacity, room), strict=True):
            used.append(("█" if coloured else band.letter) * cells, style=band.colour if coloured else "")
        used.append(("░" if coloured else ".") * max(0, room - used.cell_len), style="dim")
        label = f"stage {number + first}" + (f"-{number + last}" if last > first else "")
        yield Text.assemble(f"{label:<{LABEL}}", used, f"  {format_bytes(total):>8}, {layers[first]} layers")


def draw_legend(*, coloured: bool) -> "Text":
    """Say which colour, or letter, is what."""
    from rich.text import Text

    legend = Text(" " * LABEL)
    for band in BANDS:
        legend.append("█ " if coloured else f"{band.letter} ", style=band.colour if coloured else "")
        legend.append(f"{band.name} ")
    return legend


def _cells(stage: dict[str, int], capacity: int, room: int) -> list[int]:
    """Cells of each band; they end where the sum up to there does, so that no rounding adds up."""
    ends, so_far = [0], 0
    for band in BANDS:
        so_far += sum(stage.get(term, 0) for term in band.terms)
        ends.append(min(room, round(so_far / capacity * room)))
    return [end - start for start, end in pairwise(ends)]


def _groups(stages: Sequence[dict[str, int]], layers: Sequence[int], capacity: int) -> list[tuple[int, int]]:
    """Runs of stages whose totals lie within a share of the device, as small a share as leaves few enough lines."""
    for share in (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 1.0):
        groups = [(0, 0)]
        for p in range(1, len(stages)):
            first = groups[-1][0]
            near = abs(sum(stages[p].values()) - sum(stages[first].values())) <= share * capacity
            if share and near and (layers[p] == layers[first] or share >= 0.1) and 0 < p < len(stages) - 1:
                groups[-1] = (first, p)
            else:
                groups.append((p, p))
        if len(groups) <= MOST:
            return groups
    return groups

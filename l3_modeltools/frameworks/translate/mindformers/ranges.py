"""Layers by number, as the dynamic graph writes them: `"0-3"` or `"7"`, several in a list or parted by commas.

Source: mindspore-ai/mindformers@167a50d mindformers/pynative/distributed/activation_checkpoint.py and
pipeline_parallel.py (`_init_explicit`). Layers for multi-token prediction follow the others.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate

from l3_modeltools.frameworks.translate.stages import Counts, flat, tabled

__all__ = ["chunks_of", "first_layers", "layers_in", "ranges_of", "spans"]

RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def layers_in(specs: Iterable[object]) -> set[int]:
    """The layers that ranges name. Raises ValueError for what is no range."""
    found: set[int] = set()
    for spec in specs:
        for part in str(spec).split(","):
            first, last = span(part)
            found.update(range(first, last + 1))
    return found


def span(text: str) -> tuple[int, int]:
    """First and last layer of a range. Raises ValueError for what is none."""
    match = RANGE.fullmatch(text.strip())
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise ValueError(f"`{text}` is no range of layers such as `0-3`")
    return int(match[1]), int(match[2] or match[1])


def spans(rows: Sequence[object]) -> list[list[tuple[int, int]]]:
    """Ranges by rank and virtual stage. Raises ValueError for what is none."""
    return [[span(part) for part in str(row).split(",")] for row in rows]


def ranges_of(layers: Iterable[int]) -> tuple[str, ...]:
    """Write layers as few ranges."""
    found: list[list[int]] = []
    for layer in sorted(layers):
        if found and found[-1][1] == layer - 1:
            found[-1][1] = layer
        else:
            found.append([layer, layer])
    return tuple(f"{first}-{last}" if first != last else str(first) for first, last in found)


def chunks_of(stages: Counts) -> tuple[str, ...]:
    """Each rank's ranges, one for each of its virtual stages."""
    ends = list(accumulate(flat(stages)))
    written = [
        f"{end - held}-{end - 1}" if held > 1 else f"{end - held}"
        for end, held in zip(ends, flat(stages), strict=True)
    ]
    pp = len(stages[0])
    return tuple(",".join(written[p::pp]) for p in range(pp))


def first_layers(stages: Counts, layers: set[int]) -> tuple[Counts, bool]:
    """How many layers of each stage are named, and whether they are its first ones."""
    ends = list(accumulate(flat(stages)))
    counts, first = [], True
    for end, held in zip(ends, flat(stages), strict=True):
        named = sorted(layers & set(range(end - held, end)))
        counts.append(len(named))
        first = first and named == list(range(end - held, end - held + len(named)))
    return tabled(counts, len(stages[0])), first

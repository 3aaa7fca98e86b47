"""`npu-smi info -t topo`: how every two NPUs reach each other, and which CPUs are next to each."""

import re
from collections.abc import Iterator, Mapping

from l0_infra.facts.tree import cpu_set
from l0_infra.schemas import Affinity, Pair, PairPath, Topology

__all__ = ["parse_topology"]

PATHS: Mapping[str, PairPath] = {
    **{"HCCS": "hccs", "HCCS_SW": "hccs", "SIO": "hccs", "UB": "hccs"},
    **{"PIX": "pix", "PXB": "pxb", "PHB": "phb", "SYS": "sys"},
}
"""Two dies of one package are joined by SIO, super nodes by HCCS switches or UB: all are Huawei's direct links."""

PLACE = re.compile(r"(NPU|Phy-ID)([0-9]{1,4})")


def parse_topology(text: str, names: Mapping[tuple[str, int], str]) -> Topology | None:
    """Read the matrix; `names` are accelerators by the tool's names for them: `("NPU", 3)`, `("Phy-ID", 3)`."""
    lines = [line.split() for line in text.split("\n")]
    head = next(
        (
            words
            for words in lines
            if len(words) > 1 and PLACE.fullmatch(words[0]) and PLACE.fullmatch(words[1])
        ),
        [],
    )
    columns = [name for word in head if (name := _name(word, names))]
    rows = [
        (name, words[1:])
        for words in lines
        if words is not head and words and (name := _name(words[0], names))
    ]
    pairs = tuple(_pairs(rows, columns))
    affinities = tuple(_affinities(rows, len(columns)))
    return Topology(pairs=pairs, affinities=affinities) if pairs or affinities else None


def _name(word: str, names: Mapping[tuple[str, int], str]) -> str | None:
    place = PLACE.fullmatch(word)
    return names.get((place[1], int(place[2]))) if place else None


def _pairs(rows: list[tuple[str, list[str]]], columns: list[str]) -> Iterator[Pair]:
    for at, (first, words) in enumerate(rows):
        for second, word in list(zip(columns, words, strict=False))[at + 1 :]:
            path = PATHS.get(word)
            if path and first != second:
                yield Pair(first=first, second=second, path=path)


def _affinities(rows: list[tuple[str, list[str]]], columns: int) -> Iterator[Affinity]:
    for name, words in rows:
        last = words[-1] if len(words) > columns else ""
        if cpu_set(last):
            yield Affinity(accelerator=name, cpus=last)

"""`npu-smi info -t …`: lines `label : value` about an NPU or one of its chips, in paragraphs.

A paragraph says of which chip it is by `Chip ID`, at its beginning or its end; else the command that heads it does.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from l0_infra.facts.ascend.table import ChipKey
from l0_infra.facts.tree import integer

__all__ = ["Fields", "Queries", "fields_of", "parse_queries"]

Fields = Mapping[str, str]
"""Values by their labels."""

Queries = Mapping[tuple[int | None, int | None], Fields]
"""What is said of an NPU (chip None) and of its chips; NPU None: nobody said of which."""

ASKED = re.compile(r"npu-smi\s{1,9}info\b(?=.{0,200}\s-t\s)")
COUNTS = frozenset({"Card Count", "Total Count"})
"""What `-l` says of no NPU."""

BUS = "PCIe Bus Info"
NO_CHIP = frozenset({"mcu", "3559"})
"""A card's controller and its processor answer like chips."""


def parse_queries(texts: Iterable[str]) -> Queries:
    """Read any queries in any order; of equal labels the first counts."""
    found: dict[tuple[int | None, int | None], dict[str, str]] = {}
    for text in texts:
        for place, fields in _paragraphs(text):
            if fields.keys() - COUNTS and fields.get("Chip Name", "").lower() not in NO_CHIP:
                known = found.setdefault(place, {})
                known.update({label: value for label, value in fields.items() if label not in known})
    return found


def fields_of(queries: Queries, key: ChipKey) -> Fields:
    """Return what is said of a chip, and of its NPU where nothing is said of the chip; a bus is its first chip's."""
    npu, chip = key
    shared = {
        label: value for label, value in queries.get((npu, None), {}).items() if not chip or label != BUS
    }
    return {**shared, **queries.get((npu, chip), {})}


def _paragraphs(text: str) -> Iterator[tuple[tuple[int | None, int | None], Fields]]:
    npu: int | None = None
    chip: int | None = None
    fields: dict[str, str] = {}
    for line in [*text.split("\n"), ""]:
        asked = ASKED.search(line)
        if fields and (asked or not line.strip()):
            npu = integer(fields.pop("NPU ID", None)) if "NPU ID" in fields else npu
            own = integer(fields.pop("Chip ID", None))
            yield (npu, chip if own is None else own), fields
            fields = {}
        if asked:
            npu, chip = _option(line, "i"), _option(line, "c")
            continue
        label, colon, value = line.partition(":")
        if colon and label.strip() and value.strip():
            fields.setdefault(" ".join(label.split()), value.strip())


def _option(line: str, letter: str) -> int | None:
    given = re.search(rf"\s-{letter}\s{{1,9}}([0-9]{{1,4}})(?:\s|$)", line)
    return int(given[1]) if given else None

"""`npu-smi info -m`: which chip of which NPU has which logic id, which physical id, and which name."""

from collections.abc import Mapping
from dataclasses import dataclass

from l0_infra.facts.ascend.table import ChipKey
from l0_infra.facts.tree import integer

__all__ = ["Mapped", "parse_mapping"]

COLUMNS = ("NPU ID", "Slot ID", "Chip ID", "Chip Logic ID", "Chip Phy-ID", "Chip Name")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mapped:
    """The ids of one chip; a kind of tool that prints no logic id leaves it None."""

    logic: int | None
    physical: int | None
    name: str


def parse_mapping(text: str) -> Mapping[ChipKey, Mapped]:
    """Read the table by its head, whose columns differ between products; a card's controller is no chip."""
    found: dict[ChipKey, Mapped] = {}
    columns: list[str] = []
    for line in text.split("\n"):
        if "NPU ID" in line:
            columns = sorted((one for one in COLUMNS if one in line), key=line.index)
            continue
        words = line.split()
        if not columns or len(words) < len(columns):
            continue
        ids = dict(zip(columns[:-1], map(integer, words), strict=False))
        npu, chip = ids.get("NPU ID"), ids.get("Chip ID")
        logic, physical = ids.get("Chip Logic ID"), ids.get("Chip Phy-ID")
        if npu is not None and chip is not None and (logic is not None or physical is not None):
            found[npu, chip] = Mapped(
                logic=logic, physical=physical, name=" ".join(words[len(columns) - 1 :])
            )
    return found

"""docs/train.md names every metric, preset and file that a run has, and no other."""

import re
from pathlib import Path

from l3_modeltools.architectures import PRESETS, count_parameters, preset
from l3_modeltools.training.metrics import StepMetrics

PAGE = (Path(__file__).parents[2] / "docs" / "train.md").read_text()


def first_cells(title: str) -> list[str]:
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


def test_the_metrics_are_those_of_a_step() -> None:
    assert first_cells("Metrics") == list(StepMetrics.__struct_fields__)


def test_the_presets_are_those_there_are_with_their_sizes() -> None:
    section = PAGE.split("## The model\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([0-9,]+) \|$", section, re.MULTILINE)
    assert rows == [(name, f"{count_parameters(preset(name)).total:,}") for name in PRESETS]

"""The account against peaks that others measured and published: not made for them, or within what is stated."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import pytest
import yaml
from msgspec.structs import replace

from l3_modeltools.frameworks import practice_of
from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.schemas import Strategy
from tests.support.planner import Sizes

CASES = Path(__file__).parents[4] / "cases" / "planner" / "published_memory.yaml"


@dataclass(frozen=True, kw_only=True)
class Published:
    name: str
    source: str
    framework: str
    model: Sizes
    strategy: dict[str, object]
    sequence_length: int
    global_batch_size: int
    stage: int
    measure: Literal["allocated", "reserved"]
    gib: float
    within: float
    fused_loss: bool | None = None
    compute: Literal["bf16", "fp8"] = "bf16"

    def setting(self) -> Setting:
        practice = replace(practice_of(self.framework), compute=self.compute)
        if self.fused_loss is not None:
            practice = replace(practice, fused_loss=self.fused_loss)
        return Setting(
            architecture=self.model.architecture(),
            strategy=msgspec.convert({"kind": "strategy", **self.strategy}, Strategy),
            sequence_length=self.sequence_length,
            global_batch_size=self.global_batch_size,
            practice=practice,
        )


PUBLISHED = msgspec.convert(yaml.safe_load(CASES.read_text("utf-8")), list[Published])


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in PUBLISHED])
def test_published_peaks_are_met(case: Published) -> None:
    stage = memory_of(case.setting()).stages[case.stage]
    assert getattr(stage, case.measure) / 2**30 == pytest.approx(case.gib, rel=case.within)


# Figure 7 of arXiv:2205.05198: percent of what tensor parallelism alone keeps, where sequences are split too, where
# recomputation is selective, with both, and where it is full.
MODELS = {"22B": (6144, 48, 64, 4), "175B": (12288, 96, 96, 1), "530B": (20480, 105, 128, 1)}
PERCENT = {"22B": (66.8, 49.4, 16.2, 7.6), "175B": (62.0, 56.5, 18.5, 8.7), "530B": (58.3, 62.0, 20.3, 9.4)}


@pytest.mark.parametrize("model", MODELS)
def test_figure_7_of_the_paper_on_recomputation_is_met(model: str) -> None:
    whole = kept(model, sequences=False, mode="none")
    percent = [
        100 * kept(model, sequences=sequences, mode=mode) / whole
        for sequences, mode in ((True, "none"), (False, "selective"), (True, "selective"), (False, "full"))
    ]
    assert percent == pytest.approx(PERCENT[model], rel=0.015)


def kept(model: str, *, sequences: bool, mode: str) -> int:
    """Of a stage between the ends: they have a dropout mask and logits of their own."""
    hidden, layers, heads, micro = MODELS[model]
    sizes = Sizes(hidden=hidden, inner=4 * hidden, layers=layers, heads=heads, vocabulary=51200, gated=False)
    strategy = msgspec.convert(
        {
            "kind": "strategy",
            "degrees": {"tp": 8, "pp": 3, "sequence_parallel": sequences},
            "micro_batch_size": micro,
            "recompute": {"mode": mode},
        },
        Strategy,
    )
    setting = Setting(
        architecture=sizes.architecture(),
        strategy=strategy,
        sequence_length=2048,
        global_batch_size=12,
        practice=practice_of("megatron-2022"),
    )
    return memory_of(setting).stages[1].activations

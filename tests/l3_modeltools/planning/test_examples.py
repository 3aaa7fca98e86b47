"""Strategies that stand as examples fit the accelerators that they are meant for, with some memory to spare."""

from pathlib import Path

import pytest

from l0_infra import load_devices
from l0_infra.core.documents import read_document
from l3_modeltools.frameworks import PRACTICES
from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.schemas import Strategy

EXAMPLES = Path(__file__).parents[3] / "examples" / "documents"
MEANT_FOR = {"strategy_405b.yaml": "h100-sxm-80"}
SPARE = 0.03


def test_every_example_is_held_to_a_device() -> None:
    assert {path.name for path in EXAMPLES.glob("strategy*.yaml")} == set(MEANT_FOR)


@pytest.mark.parametrize("practice", ["megatron", "llama3"])
@pytest.mark.parametrize("name", MEANT_FOR)
def test_an_example_fits(name: str, practice: str) -> None:
    strategy = read_document(EXAMPLES / name, expect=Strategy)
    device = next(one for one in load_devices() if one.name == MEANT_FOR[name])
    assert strategy.workload
    setting = Setting(
        architecture=strategy.workload.architecture,
        strategy=strategy,
        sequence_length=strategy.workload.sequence_length,
        global_batch_size=strategy.workload.global_batch_size,
        practice=PRACTICES[practice].practice,
    )
    assert memory_of(setting).peak <= device.memory_bytes * (1 - SPARE)

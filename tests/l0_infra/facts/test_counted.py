"""Of which vendors all accelerators are told: another vendor's trouble counts for nothing."""

import pytest

from l0_infra.facts.bundle import ABSENT, HUNG, NOT_ASKED, Answer
from l0_infra.facts.probe import SOURCES, parse_node

ONE_NPU = (
    "| npu-smi 24.1.0   Version: 24.1.0 |\n| 0     910B3     | OK    | 90.0   41    0 / 0  |\n"
    "| 0               | 0000:C1:00.0  | 0     0    / 0   3000 / 65536  |\n"
)
NPU = {"npu-smi-info.txt": Answer(end="exit", code=0, out=ONE_NPU)}
NO_DRIVER = {
    "nvidia-smi-query-gpu.csv": Answer(
        end="exit", code=9, out="NVIDIA-SMI has failed because it couldn't communicate"
    )
}
HANGING = dict.fromkeys(("nvidia-smi-q-x.xml", "nvidia-smi-query-gpu.csv"), HUNG)


@pytest.mark.parametrize(
    ("base", "said", "counted"),
    [
        (ABSENT, {}, {"amd", "ascend", "nvidia"}),
        (NOT_ASKED, {}, set()),
        (NOT_ASKED, NPU, {"ascend"}),
        (NOT_ASKED, NO_DRIVER, {"nvidia"}),
        (NOT_ASKED, HANGING, set()),
        (NOT_ASKED, NPU | HANGING, {"ascend"}),
        (NOT_ASKED, {"npu-smi-info.txt": Answer(end="exit", code=0, out="")} | NO_DRIVER, {"nvidia"}),
    ],
)
def test_whose_accelerators_are_all_told(base: Answer, said: dict[str, Answer], counted: set[str]) -> None:
    assert set(parse_node({source.name: base for source in SOURCES} | said, 0.0).counted) == counted

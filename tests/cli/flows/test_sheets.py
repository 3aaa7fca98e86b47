"""Names of accelerators as tables of runs write them, and the data sheets they mean."""

import pytest

from l0_infra.core.errors import UsageError
from ogai.flows.strategy.sheets import sheets_for


@pytest.mark.parametrize(
    ("name", "sheet"),
    [
        ("A100-40GB", "a100-sxm-40"),
        ("A100 80GB", "a100-sxm-80"),
        ("a100-pcie-80", "a100-pcie-80"),
        ("H100-96GB-HBM2e-500W", "h100-sxm-96"),
        ("H200-141GB", "h200-sxm-141"),
        ("B200", "b200-180"),
        ("MI300X", "mi300x"),
        ("H100", "h100-sxm-80"),  # the 96 GB of one publication have no vendor's sheet
        ("NVIDIA H100 80GB HBM3", "h100-sxm-80"),
        ("H100 NVL", "h100-nvl-94"),
        ("H100-PCIe-80GB", "h100-pcie-80"),
        ("A100-SXM4-80GB", "a100-sxm-80"),
        ("A100-PCIe-40GB", "a100-pcie-40"),
        ("V100-SXM2-16GB", "v100-sxm2-16"),
        ("B200-192GB", "b200-180"),
        ("GB200-NVL72", "gb200-186"),
        ("Ascend910B2", "ascend-910b2"),
        ("910B3", "ascend-910b3"),
    ],
)
def test_a_name_means_one_sheet(name: str, sheet: str) -> None:
    assert sheets_for([name, name])[name].name == sheet


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("A100", "a100-sxm-40, a100-sxm-80"),
        ("Ascend 910B", "ascend-910b1, ascend-910b2, ascend-910b3"),
        ("H100-640GB", "no such"),
        ("X1", "no such"),
        ("", "no such"),
    ],
)
def test_a_name_that_means_none_or_several_is_refused(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        sheets_for([name])

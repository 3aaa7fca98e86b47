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
    ],
)
def test_a_name_means_one_sheet(name: str, sheet: str) -> None:
    assert sheets_for([name, name])[name].name == sheet


@pytest.mark.parametrize(
    ("name", "words"), [("H100", "h100-sxm-80, h100-sxm-96"), ("X1", "no such"), ("", "no such")]
)
def test_a_name_that_means_none_or_several_is_refused(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        sheets_for([name])

"""Which accelerators a job sees: those it got, and none of those it did not get."""

import pytest

from l2_scheduler.local.launch import visible_devices
from l2_scheduler.schemas import NodeShare


@pytest.mark.parametrize(
    ("held", "vendors", "seen"),
    [
        ((), set(), {}),
        (
            ("nvidia:2", "nvidia:10"),
            {"nvidia"},
            {"CUDA_VISIBLE_DEVICES": "2,10", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"},
        ),
        ((), {"nvidia"}, {"CUDA_VISIBLE_DEVICES": "", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}),
        (("ascend:0",), {"ascend"}, {"ASCEND_RT_VISIBLE_DEVICES": "0"}),
        (("amd:1",), {"amd", "ascend"}, {"ROCR_VISIBLE_DEVICES": "1", "ASCEND_RT_VISIBLE_DEVICES": ""}),
    ],
)
def test_visible_devices(held: tuple[str, ...], vendors: set[str], seen: dict[str, str]) -> None:
    assert visible_devices(NodeShare(node="n1", cpus=1, accelerators=held), frozenset(vendors)) == seen

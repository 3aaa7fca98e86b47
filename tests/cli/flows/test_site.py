"""Which machine the cost model sees where a run would go."""

from dataclasses import replace

import pytest

from l2_scheduler.schemas import Resources
from l3_modeltools import AcceleratorSize, Place
from ogai.flows.train.site import find_site
from tests.support.trainings import GIB, LAPTOP, NODES


def test_accelerators_are_known_by_their_name_and_memory() -> None:
    site = find_site(NODES, Resources(gpus_per_node=4))
    assert site is not None
    assert (site.machine.device, site.machine.devices, site.device.name) == ("h100-sxm-80", 4, "h100-sxm-80")
    assert site.calibration.name == "published"


def replace_accelerators(*accelerators: AcceleratorSize) -> Place:
    return replace(NODES, accelerators=accelerators)


@pytest.mark.parametrize(("model", "memory"), [("NVIDIA Own Design", 80), ("NVIDIA H100 80GB HBM3", 40)])
def test_what_has_no_data_sheet_is_not_guessed(model: str, memory: int) -> None:
    own = AcceleratorSize(vendor="nvidia", model=model, memory_bytes=memory * GIB)
    assert find_site(replace_accelerators(own), Resources(gpus_per_node=1)) is None


def test_several_kinds_nodes_without_any_and_several_nodes_are_not_known() -> None:
    a100 = AcceleratorSize(vendor="nvidia", model="NVIDIA A100-SXM4-80GB", memory_bytes=80 * GIB)
    mixed = replace_accelerators(NODES.accelerators[0], a100)
    assert find_site(mixed, Resources(gpus_per_node=2)) is None
    assert find_site(mixed, Resources(gpus_per_node=1)) is not None
    assert find_site(LAPTOP, Resources()) is None
    assert find_site(NODES, Resources(gpus_per_node=8, nodes=2)) is None

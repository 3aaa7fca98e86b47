"""Versions in the files of the installers."""

import pytest

from l0_infra.facts.ascend.topology import parse_topology
from l0_infra.facts.ascend.versions import parse_versions

ROOT = "/usr/local/Ascend"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (f"{ROOT}/driver/version.info:Version=24.1.0.3", ("ascend driver", "24.1.0.3")),
        ("/opt/hw/driver/version.info:version=23.0.rc3", ("ascend driver", "23.0.rc3")),
        (f"{ROOT}/firmware/version.info:Version=7.5.0.3.22", ("ascend firmware", "7.5.0.3.22")),
        (
            f"{ROOT}/ascend-toolkit/latest/arm64-linux/ascend_toolkit_install.info:version=8.0.RC3",
            ("cann", "8.0.RC3"),
        ),
        (f"{ROOT}/nnae/latest/ascend_nnae_install.info:version=8.0.0", ("cann", "8.0.0")),
        (f"{ROOT}/cann/version.cfg:runtime_running_version=[7.6.0.1.220:8.0.0]", ("cann", "8.0.0")),
        (f"{ROOT}/ascend-toolkit/latest/version.cfg:toolkit_running_version=[8.1.RC1]", ("cann", "8.1.RC1")),
        (f"{ROOT}/ascend-toolkit/latest/version.cfg:toolkit_upgrade_version=[8.1.RC1]", None),
        (f"{ROOT}/driver/version.info:ascendhal_version=7.35.19", None),
        (f"{ROOT}/driver/version.info:Version=", None),
        ("version=8.0.0", None),
    ],
)
def test_a_line(line: str, found: tuple[str, str] | None) -> None:
    assert [(one.name, one.software_version) for one in parse_versions(line)] == ([found] if found else [])


NAMES = {("NPU", at): f"ascend:{at}" for at in range(3)}


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("     NPU0 NPU1\nNPU0 X    HCCS\nNPU1 HCCS X\n", {("ascend:0", "ascend:1"): "hccs"}),
        (
            "NPU0 NPU1 NIC0\nNPU0 X PHB PIX\nNPU1 PHB X SYS\nNIC0 PIX SYS X\n",
            {("ascend:0", "ascend:1"): "phb"},
        ),
        ("NPU0 NPU1\nNPU0 X NA\nNPU1 NA X\n", {}),
        ("NPU0 NPU1\nNPU0 X\n", {}),
        ("NPU0 NPU9\nNPU0 X HCCS\n", {}),
        ("HCCS HCCS\n", {}),
        ("", {}),
    ],
)
def test_pairs_of_a_matrix(text: str, pairs: dict[tuple[str, str], str]) -> None:
    found, _ = parse_topology(text, NAMES)
    told = {(one.first, one.second): one.path for one in found.pairs} if found else {}
    assert told == pairs


def test_a_row_that_lost_a_cell_makes_up_no_pair_and_is_told() -> None:
    text = "NPU0 NPU1 NPU2 CPU Affinity\nNPU0 X HCCS PHB 0-23\nNPU1 X PHB 0-23\nNPU2 PHB PHB X 24-47\n"
    found, torn = parse_topology(text, NAMES)
    assert found is not None
    assert {(one.first, one.second): one.path for one in found.pairs} == {
        ("ascend:0", "ascend:1"): "hccs",
        ("ascend:0", "ascend:2"): "phb",
        ("ascend:1", "ascend:2"): "phb",
    }
    assert [one.cpus for one in found.affinities] == ["0-23", "24-47"]
    assert [fault.reason for fault in torn] == ["garbled"]

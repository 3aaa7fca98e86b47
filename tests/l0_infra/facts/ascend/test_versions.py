"""Versions in the files of the installers."""

import pytest

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

"""The loops over chips and ports run in a real shell, against tools that answer like the vendor's."""

import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from l0_infra.core.exec import LocalRunner
from l0_infra.facts.ascend import SOURCES, parse_ascend
from l0_infra.facts.ask import ask
from l0_infra.facts.bundle import Source

pytestmark = pytest.mark.real

NPU_SMI = r"""#!/bin/sh
case "$*" in
"info") echo "| 4  910B2 | OK | 90.0  36  0 / 0 |"; echo "| 0  | 0000:C1:00.0 | 0  0 / 0  900 / 65536 |"
        echo "| 7  910B2 | OK | 91.0  35  0 / 0 |"; echo "| 0  | 0000:C4:00.0 | 0  0 / 0  901 / 65536 |" ;;
"info -l") printf '\tTotal Count : 2\n\n\tNPU ID : 4\n\tChip Count : 2\n\n\tNPU ID : 7\n\tChip Count : 2\n' ;;
"info -m") printf '\tNPU ID  Chip ID  Chip Logic ID  Chip Phy-ID  Chip Name\n'
        printf '\t4  0  0  4  Ascend 910B2\n\t4  1  -  -  Mcu\n\t7  0  1  7  Ascend 910B2\n\t7  1  -  -  Mcu\n' ;;
"info -t ecc -i 4") exec sleep 60 ;;
"info -t board -i "?) printf '\tNPU ID : %s\n\tSerial Number : SN-%s\n' "$5" "$5" ;;
"info -t health -i 4 -c 0") printf '\tHealth Status : Alarm\n\tError Code : 80DE1801\n' ;;
"info -t health -i 7 -c 0") printf '\tHealth Status : OK\n\tError Code : NA\n' ;;
*) echo "This device does not support querying $3."; exit 1 ;;
esac
"""

HCCN_TOOL = """#!/bin/sh
case "$*" in
"-i 4 -link -g") echo "link status: UP" ;;
"-i 7 -link -g") echo "link status: DOWN" ;;
*) echo "hccn_tool is busy"; exit 1 ;;
esac
"""


def elsewhere(source: Source, root: Path) -> Source:
    """The same source on a node whose files lie below `root`."""
    command, when = source.command, source.when
    for path in ("/dev/davinci", "/usr/local/Ascend", "/etc/ascend_install.info"):
        command, when = (text.replace(path, f"{root}{path}") for text in (command, when))
    return replace(source, command=command, when=when)


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, text in (("npu-smi", NPU_SMI), ("usr/local/Ascend/driver/tools/hccn_tool", HCCN_TOOL)):
        tool = tmp_path / name
        tool.parent.mkdir(parents=True, exist_ok=True)
        tool.write_text(text)
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "dev").mkdir()
    for name in ("davinci4", "davinci7", "davinci_manager"):
        (tmp_path / "dev" / name).touch()
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    yield tmp_path


def test_every_chip_and_port_is_asked_and_what_hangs_holds_nothing_back(node: Path) -> None:
    version = node / "usr/local/Ascend/driver/version.info"
    version.write_text("Version=25.0.rc1\nPackage=Ascend-HDK\n")
    with LocalRunner() as runner:
        answers = ask(runner, [elsewhere(source, node) for source in SOURCES], 3)
    found = parse_ascend(answers)
    assert [(one.id, one.pci, one.serial) for one in found.accelerators] == [
        ("ascend:0", "0000:c1:00.0", "SN-4"),
        ("ascend:1", "0000:c4:00.0", "SN-7"),
    ]
    assert [one.condition and one.condition.error_codes for one in found.accelerators] == [("80DE1801",), ()]
    assert [(port.device, port.state) for port in found.fabric] == [
        ("ascend:0", "active"),
        ("ascend:1", "down"),
    ]
    assert [(one.name, one.software_version) for one in found.software] == [("ascend driver", "25.0.rc1")]
    assert [(one.what, one.reason) for one in found.unread] == [("npu-smi-info-t-ecc.txt", "hung")]


def test_the_driver_may_be_installed_elsewhere(node: Path) -> None:
    (node / "etc").mkdir()
    (node / "etc/ascend_install.info").write_text(
        f"UserName=HwHiAiUser\nDriver_Install_Path_Param={node}/opt\n"
    )
    info = node / "opt/firmware/version.info"
    info.parent.mkdir(parents=True)
    info.write_text("Version=7.5.0.5.220\n")
    with LocalRunner() as runner:
        answers = ask(runner, [elsewhere(source, node) for source in SOURCES], 3)
    (firmware,) = parse_ascend(answers).software
    assert (firmware.name, firmware.software_version) == ("ascend firmware", "7.5.0.5.220")

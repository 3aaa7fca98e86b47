"""The management controller, by its tool, its device and the firmware."""

import pytest

from l0_infra.facts.bundle import ABSENT, HUNG
from l0_infra.schemas import ManagementController
from tests.support.facts import facts_of, said

TOOL = """\
Device : /dev/ipmi0
Device ID                 : 32
Firmware Revision         : 7.10
Aux Firmware Rev Info     :
    0x30
IP Address Source       : DHCP Address
IP Address              : 10.77.1.20
MAC Address             : 9C:6B:00:01:02:03
"""
DMI = """\
Handle 0x0050, DMI type 38, 18 bytes
IPMI Device Information
	Interface Type: KCS (Keyboard Control Style)

Handle 0x0051, DMI type 42, 131 bytes
Management Controller Host Interface
	Host Interface Type: Network
	Protocol ID: 04 (Redfish over IP)
		IPv4 Address: 169.254.1.1
		IPv4 Redfish Service Address: 169.254.1.2
		Redfish Service Port: 443
"""


def controller(tool: str = "", dmi: str = "") -> ManagementController | None:
    return facts_of({"ipmitool.txt": tool, "dmidecode.txt": dmi}).management


def test_all_that_is_told() -> None:
    assert controller(TOOL, DMI) == ManagementController(
        address="10.77.1.20",
        mac="9c:6b:00:01:02:03",
        firmware_version="7.10",
        device="/dev/ipmi0",
        redfish_address="169.254.1.2",
    )


def test_a_channel_without_an_address() -> None:
    text = TOOL.replace("10.77.1.20", "0.0.0.0").replace("9C:6B:00:01:02:03", "00:00:00:00:00:00")
    assert controller(text) == ManagementController(firmware_version="7.10", device="/dev/ipmi0")


@pytest.mark.parametrize("address", ["10.77.1.256", "n/a", "", "10.77.1", "2001:db8::zz"])
def test_what_is_no_address(address: str) -> None:
    found = controller(TOOL.replace("10.77.1.20", address))
    assert found and found.address is None


def test_what_the_firmware_tells_is_enough() -> None:
    assert controller(dmi=DMI.partition("\n\n")[0]) == ManagementController()
    assert controller(dmi=DMI.partition("\n\n")[2]) == ManagementController(redfish_address="169.254.1.2")


def test_none_and_not_read() -> None:
    assert controller() is None
    assert facts_of({"ipmitool.txt": ABSENT}).management is None


def test_a_device_that_needs_root_is_there_all_the_same() -> None:
    refused = said("Device : /dev/ipmi0\n", "ipmitool: /dev/ipmi0: Permission denied\n", 1)
    facts = facts_of({"ipmitool.txt": refused})
    assert facts.management == ManagementController(device="/dev/ipmi0")
    assert [(one.what, one.reason) for one in facts.unread] == [("ipmitool", "denied")]


def test_a_controller_that_hangs_is_told() -> None:
    assert [(one.what, one.reason) for one in facts_of({"ipmitool.txt": HUNG}).unread] == [
        ("ipmitool", "hung")
    ]

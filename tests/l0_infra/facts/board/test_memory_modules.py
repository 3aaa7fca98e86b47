"""Memory modules, as versions of `dmidecode` print them and as boards label them."""

import pytest

from l0_infra.facts.bundle import Answer
from l0_infra.schemas import Chassis, MemoryModule
from tests.support.facts import facts_of, said

HEAD = "# dmidecode 3.5\nGetting SMBIOS data from sysfs.\nSMBIOS 3.5.0 present.\n"
MODULE = """
Handle 0x1100, DMI type 17, 100 bytes
Memory Device
	Array Handle: 0x1000
	Total Width: 80 bits
	Size: 96 GB
	Form Factor: DIMM
	Locator: A1
	Bank Locator: Not Specified
	Type: DDR5
	Type Detail: Synchronous Registered (Buffered)
	Speed: 5600 MT/s
	Manufacturer: Example Memory
	Serial Number: 0045A1B2
	Asset Tag: 9912
	Part Number: EX-DDR5-96G
	Configured Memory Speed: 4800 MT/s
"""
EMPTY = """
Handle 0x1101, DMI type 17, 100 bytes
Memory Device
	Size: No Module Installed
	Locator: A2
	Type: Unknown
	Speed: Unknown
"""
OTHER = "\nHandle 0x0100, DMI type 1, 27 bytes\nSystem Information\n\tProduct Name: EX-900\n\tSize: 7 GB\n"


def modules(text: str | Answer) -> tuple[MemoryModule, ...] | None:
    return facts_of({"dmidecode.txt": text}).memory_modules


def one(*changes: tuple[str, str]) -> MemoryModule:
    text = MODULE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (module,) = modules(HEAD + text) or ()
    return module


def test_a_module_and_an_empty_slot() -> None:
    assert modules(HEAD + OTHER + MODULE + EMPTY) == (
        MemoryModule(
            slot="A1",
            size_bytes=96 * 2**30,
            kind="DDR5",
            transfers_per_s=4800 * 10**6,
            transfers_per_s_max=5600 * 10**6,
            maker="Example Memory",
            part_number="EX-DDR5-96G",
            serial="0045A1B2",
        ),
    )


@pytest.mark.parametrize(
    ("size", "size_bytes"),
    [
        ("98304 MB", 96 * 2**30),
        ("1 TB", 2**40),
        ("512 kB", 2**19),
        ("Unknown", None),
        ("0 GB", None),
        ("96", None),
        ("9999999999 GB", None),
        ("ERR!", None),
    ],
)
def test_sizes(size: str, size_bytes: int | None) -> None:
    assert one(("96 GB", size)).size_bytes == size_bytes


def test_older_versions_call_rates_clocks() -> None:
    module = one(
        ("5600 MT/s", "3200 MHz"), ("Configured Memory Speed: 4800 MT/s", "Configured Clock Speed: 2933 MHz")
    )
    assert (module.transfers_per_s_max, module.transfers_per_s) == (3200 * 10**6, 2933 * 10**6)
    assert one(("4800 MT/s", "Unknown")).transfers_per_s is None


def test_placeholders_say_nothing() -> None:
    module = one(
        ("DDR5\n", "<OUT OF SPEC>\n"),
        ("Example Memory", "NO DIMM"),
        ("0045A1B2", "Not Specified"),
        ("EX-DDR5-96G", "   "),
    )
    assert (module.kind, module.maker, module.serial, module.part_number) == (None, None, None, None)


def test_slots_that_are_called_alike_are_told_apart_by_their_bank() -> None:
    first = MODULE.replace("Locator: A1", "Locator: DIMM 0").replace("Not Specified", "P0 CHANNEL A")
    second = first.replace("P0 CHANNEL A", "P1 CHANNEL A")
    found = modules(HEAD + first + second)
    assert [module.slot for module in found or ()] == ["P0 CHANNEL A DIMM 0", "P1 CHANNEL A DIMM 0"]


def test_a_slot_without_a_label_has_its_handle() -> None:
    assert one(("Locator: A1", "Locator: Not Specified")).slot == "0x1100"


def test_flash_is_no_memory() -> None:
    assert modules(HEAD + MODULE.replace("DDR5", "Flash")) == ()


@pytest.mark.parametrize(
    "text", ["", HEAD, HEAD + OTHER, "# No SMBIOS nor DMI entry point found, sorry.\n", HEAD + MODULE[:80]]
)
def test_no_slot_told_is_not_no_memory(text: str) -> None:
    assert modules(text) is None


def test_windows_line_ends() -> None:
    assert modules((HEAD + MODULE + EMPTY).replace("\n", "\r\n")) == modules(HEAD + MODULE + EMPTY)


def test_who_is_not_root_is_told_so() -> None:
    refused = said("# dmidecode 3.3\n", "/sys/firmware/dmi/tables/smbios_entry_point: Permission denied\n", 1)
    (fault,) = facts_of({"dmidecode.txt": refused}).unread
    assert (fault.what, fault.reason, fault.hint) == ("dmidecode", "denied", "look as root")
    assert modules(refused) is None


def test_the_machine_s_names_where_the_kernel_s_files_are_missing() -> None:
    system = """
Handle 0x0100, DMI type 1, 27 bytes
System Information
	Manufacturer: Example Systems
	Product Name: EX-900
	Serial Number: Not Specified
	UUID: 4c4c4544-0001-0002-0003-b8c04f000001
"""
    kernel = "/sys/class/dmi/id/product_name:EX-901\n"
    found = facts_of({"dmidecode.txt": HEAD + system, "system.txt": kernel}).chassis
    assert found == Chassis(
        vendor="Example Systems", product="EX-901", uuid="4c4c4544-0001-0002-0003-b8c04f000001"
    )

"""PCI devices from the kernel's files and from `lspci`, in its shapes."""

import pytest

from l0_infra.facts.bundle import ABSENT, Answer
from l0_infra.facts.topology.pci import parse_lspci, parse_pci, parse_sys_bus_pci
from l0_infra.schemas import PciDevice, PcieLink

LINES = {
    "01:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 PCIe] [10de:2331] (rev a1)": PciDevice(
        address="0000:01:00.0",
        class_id="0302",
        vendor_id="10de",
        device_id="2331",
        name="NVIDIA Corporation GH100 [H100 PCIe]",
    ),
    "10000:e1:00.0 Non-Volatile memory controller [0108]: Intel [8086:0a54] (prog-if 02 [NVM Express])": PciDevice(
        address="10000:e1:00.0", class_id="0108", vendor_id="8086", device_id="0a54", name="Intel"
    ),
    "0000:c4:00.0 Processing accelerators [1200]: [1002:74a1]": PciDevice(
        address="0000:c4:00.0", class_id="1200", vendor_id="1002", device_id="74a1"
    ),
    "00:1f.0 ISA bridge [0601]: Intel Corporation LPC [8086:1b81]": None,
    "0000:00:01.0 PCI bridge [0604]: Intel Corporation Port [8086:352a] (rev 04)": None,
    "01:00.0 3D controller: NVIDIA Corporation GH100": None,
    "01:00.0 0302: 10de:2331 (rev a1)": None,
    "\tKernel driver in use: nvidia [10de:2331]": None,
}


@pytest.mark.parametrize("line", LINES)
def test_lines_of_lspci(line: str) -> None:
    expected = LINES[line]
    assert parse_lspci(f"{line}\n") == parse_lspci(f"{line}\r\n") == ((expected,) if expected else ())


PLACE = "/sys/bus/pci/devices/0000:3b:00.0"
FILES = f"""lrwxrwxrwx 1 root root 0 Jan  3 10:11 0000:3b:00.0 -> ../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0
{PLACE}/uevent:DRIVER=mlx5_core
{PLACE}/uevent:PCI_CLASS=20000
{PLACE}/uevent:PCI_ID=15B3:A2DC
{PLACE}/numa_node:-1
{PLACE}/current_link_speed:16.0 GT/s PCIe
{PLACE}/current_link_width:8
{PLACE}/max_link_speed:64.0 GT/s PCIe
{PLACE}/max_link_width:255
{PLACE}/../max_link_speed:32.0 GT/s PCIe
"""


def test_files_of_the_kernel() -> None:
    assert parse_sys_bus_pci(FILES) == (
        PciDevice(
            address="0000:3b:00.0",
            class_id="0200",
            vendor_id="15b3",
            device_id="a2dc",
            driver="mlx5_core",
            bridges=("0000:3a:00.0",),
            link=PcieLink(generation=4, generation_max=5, generation_device_max=6, width=8),
        ),
    )


def test_what_device_and_slot_have_in_common_is_unknown_without_the_slot() -> None:
    (device,) = parse_sys_bus_pci("".join(FILES.splitlines(keepends=True)[:-1]))
    assert device.link and (device.link.generation_max, device.link.generation_device_max) == (None, 6)


def test_without_its_link_the_place_is_unknown() -> None:
    (device,) = parse_sys_bus_pci(FILES.partition("\n")[2])
    assert device.bridges is None


def test_lspci_gives_names_to_what_the_kernel_lists() -> None:
    def told(files: Answer, listing: Answer) -> tuple[PciDevice, ...] | None:
        return parse_pci({"sys-bus-pci.txt": files, "lspci-nn.txt": listing})

    files = Answer(end="exit", code=0, out=FILES)
    name = "Mellanox BlueField-3"
    listing = Answer(
        end="exit", code=0, out=f"3b:00.0 Ethernet controller [0200]: {name} [15b3:a2dc] (rev 01)"
    )
    assert [(one.name, one.driver) for one in told(files, listing) or ()] == [(name, "mlx5_core")]
    assert [(one.name, one.driver) for one in told(ABSENT, listing) or ()] == [(name, None)]
    assert [(one.name, one.driver) for one in told(files, ABSENT) or ()] == [(None, "mlx5_core")]
    assert told(ABSENT, ABSENT) is None
    assert told(Answer(end="exit", code=0), ABSENT) == ()

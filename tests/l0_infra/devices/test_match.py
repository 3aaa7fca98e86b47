"""An accelerator is a data sheet's when name and memory say so, and nobody's when two would do."""

import msgspec
import pytest

from l0_infra import load_devices, match_device
from l0_infra.schemas import Accelerator, Device, Partitioning, Vendor

MIB = 2**20


def accelerator(vendor: Vendor, model: str | None, memory_mib: int | None) -> Accelerator:
    memory = None if memory_mib is None else memory_mib * MIB
    return Accelerator(id=f"{vendor}:0", vendor=vendor, index=0, model=model, memory_bytes=memory)


# Vendor, name and memory as tools print them (MiB); the data sheet.
PRINTED: list[tuple[Vendor, str | None, int | None, str | None]] = [
    ("nvidia", "NVIDIA A100-SXM4-40GB", 40960, "a100-sxm-40"),
    ("nvidia", "A100-SXM4-80GB", 81251, "a100-sxm-80"),
    ("nvidia", "NVIDIA A100-SXM4-80GB", 40960, None),
    ("nvidia", "NVIDIA A100 80GB PCIe", None, "a100-pcie-80"),
    ("nvidia", "NVIDIA A100", 81920, None),
    ("nvidia", "Tesla V100-SXM2-32GB", 32510, "v100-sxm2-32"),
    ("nvidia", "Tesla T4", 15109, "t4"),
    ("nvidia", "nvidia  l40s", 46068, "l40s"),
    ("nvidia", "NVIDIA H100 80GB HBM3", 81559, "h100-sxm-80"),
    ("nvidia", "NVIDIA H100 80GB HBM3 MIG 1g.10gb", 9856, None),
    ("nvidia", "NVIDIA H200", 143771, "h200-sxm-141"),
    ("nvidia", "NVIDIA H20", 97871, "h20-96"),
    ("nvidia", "NVIDIA H20", 143771, None),
    ("nvidia", "NVIDIA GB200", 189471, "gb200-186"),
    ("nvidia", "Ascend910", 65536, None),
    ("nvidia", None, 81559, None),
    ("nvidia", "NVIDIA", 81559, None),
    ("ascend", "Ascend910", 65536, "ascend-910c"),
    ("ascend", "Ascend910", 32768, None),
    ("ascend", "Ascend 910B3", 65536, "ascend-910b3"),
    ("ascend", "910B4", 32768, "ascend-910b4"),
    ("ascend", "910B4-1", 65536, "ascend-910b4-64"),
    ("ascend", "910B", 32768, None),
    ("ascend", "310P3", 21527, "ascend-310p-24"),
    ("ascend", "310P3", 44280, "ascend-310p-48"),
    ("ascend", "310P3", None, None),
    ("amd", "AMD Instinct MI300X", 196592, "mi300x"),
    ("amd", "AMD Instinct MI300X", 24574, None),
    ("amd", "AMD Instinct MI250X / MI250", 65520, None),
    ("amd", "AMD INSTINCT MI250 (MCM) OAM AC MBA", 65520, "mi250"),
]


@pytest.mark.parametrize(("vendor", "model", "memory_mib", "name"), PRINTED)
def test_what_tools_print(
    vendor: Vendor, model: str | None, memory_mib: int | None, name: str | None
) -> None:
    found = match_device(accelerator(vendor, model, memory_mib), load_devices())
    assert (found and found.name) == name


@pytest.mark.parametrize("device", load_devices(), ids=lambda device: device.name)
def test_every_sheet_can_be_matched(device: Device) -> None:
    size = device.memory_bytes // MIB
    found = [
        match_device(accelerator(device.vendor, name, size), load_devices()) for name in device.printed_names
    ]
    assert device in found
    assert all(one in (device, None) for one in found)


def test_a_partition_is_no_device_and_one_with_partitions_is() -> None:
    whole = accelerator("amd", "AMD Instinct MI300X", None)
    part = msgspec.structs.replace(whole, partitioning=Partitioning(enabled=True))
    assert match_device(part, load_devices()) is None
    assert match_device(
        msgspec.structs.replace(part, partitioning=Partitioning(enabled=False)), load_devices()
    )
    cut = msgspec.structs.replace(
        accelerator("nvidia", "NVIDIA H200", 143771), partitioning=Partitioning(enabled=True)
    )
    assert match_device(cut, load_devices())


def test_between_two_sheets_that_fit_none_is_chosen() -> None:
    (sheet,) = (device for device in load_devices() if device.name == "l4")
    rival = msgspec.structs.replace(sheet, name="l4-other")
    asked = accelerator("nvidia", "NVIDIA L4", 23034)
    assert match_device(asked, (sheet,)) == sheet
    assert match_device(asked, (sheet, rival)) is None
    assert match_device(asked, ()) is None

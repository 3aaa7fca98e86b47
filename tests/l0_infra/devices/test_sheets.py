"""The data sheets agree with themselves: units of one kind of hardware stand in fixed ratios to each other."""

from importlib.resources import files

import pytest

from l0_infra import load_devices
from l0_infra.schemas import Device

DEVICES = load_devices()
every_device = pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)

# Twice the operations on operands half as wide; published figures are rounded, L40S's by 1.2 %.
RATIOS = [
    ("tf32", "fp16", (0.5,)),
    ("fp8", "fp16", (2,)),
    ("int8", "fp16", (1, 2)),
    ("int4", "int8", (2,)),
    ("fp4", "fp8", (2, 3)),
]
ROUNDED = 0.015

# Bytes per second of one link in one direction, by generation.
LINKS = {
    "nvlink": (25e9, 50e9),
    "hccs": (28e9,),
    "xgmi": (64e9, 76.8e9),
    "pcie": (16e9, 32e9, 64e9),
    "roce": (25e9,),
    "infiniband": (50e9, 100e9),
}


def peaks(device: Device) -> dict[str, float]:
    return {peak.precision: peak.flop_per_s for peak in device.peak}


def test_each_is_named_after_its_file_and_once() -> None:
    stems = [
        entry.name.removesuffix(".yaml")
        for entry in files("l0_infra.devices").iterdir()
        if ".yaml" in entry.name
    ]
    assert [device.name for device in DEVICES] == sorted(stems)
    assert len({device.model for device in DEVICES}) == len(DEVICES)


def test_the_devices_that_everyone_has_are_there() -> None:
    families = ("a100", "h100", "h200", "h20", "b200", "gb200", "mi300x", "ascend-910b", "ascend-910c")
    assert all(any(device.name.startswith(family) for device in DEVICES) for family in families)


@pytest.mark.parametrize(("narrow", "wide", "allowed"), RATIOS)
@every_device
def test_precisions_stand_in_the_ratio_of_their_widths(
    device: Device, narrow: str, wide: str, allowed: tuple[float, ...]
) -> None:
    peak = peaks(device)
    if narrow in peak and wide in peak:
        assert any(abs(peak[narrow] / peak[wide] / ratio - 1) < ROUNDED for ratio in allowed)


@every_device
def test_both_kinds_of_half_precision_are_as_fast(device: Device) -> None:
    """Ascend's FP16 figures have the vector units in them."""
    peak = peaks(device)
    if "bf16" in peak and "fp16" in peak:
        assert (0.85 if device.vendor == "ascend" else 0.99) < peak["bf16"] / peak["fp16"] <= 1


@every_device
def test_wider_floats_are_never_faster(device: Device) -> None:
    peak = peaks(device)
    rates = [peak[name] for name in ("fp64", "fp32", "tf32", "fp16", "fp8", "fp4") if name in peak]
    assert rates == sorted(rates)


@every_device
def test_memory_arithmetic_and_bandwidth_are_of_one_world(device: Device) -> None:
    assert 0.01 < device.memory_bytes / device.memory_bandwidth_bytes_per_s < 0.3
    half = peaks(device).get("fp16")
    assert half is None or 20 < half / device.memory_bandwidth_bytes_per_s < 450


@every_device
def test_a_link_has_the_bandwidth_of_its_generation(device: Device) -> None:
    for link in device.links:
        one = link.bandwidth_bytes_per_s / link.count
        assert any(abs(one / known - 1) < ROUNDED for known in LINKS[link.kind]), link


def test_the_vendor_speaks_first_and_others_are_marked() -> None:
    vendors = ("nvidia.com", "amd.com", "huawei", "hiascend", "github.com/Ascend", "arxiv.org", "doi.org")
    for device in DEVICES:
        for source in device.sources:
            assert source.secondary or any(vendor in source.url for vendor in vendors), (
                device.name,
                source.url,
            )

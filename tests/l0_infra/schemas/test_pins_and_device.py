import msgspec

from l0_infra.schemas import Device, DeviceLink, HugepagesPin, PeakRate, Pins, SoftwarePin


def test_a_version_stays_as_typed() -> None:
    typed = {"software": [{"vendor": "nvidia", "component": "driver", "version": "535.10"}]}
    assert msgspec.convert(typed, Pins).software[0].version == "535.10"


def test_what_is_pinned_twice_is_reported() -> None:
    driver = SoftwarePin(vendor="nvidia", component="driver", version="570.86.15")
    huge = HugepagesPin(size_bytes=2**21, count=64)
    pins = Pins(software=(driver, msgspec.structs.replace(driver, version="575.51")), hugepages=(huge, huge))
    assert [fault.path for fault in pins.faults()] == [
        ("software", 1, "component"),
        ("hugepages", 1, "size_bytes"),
    ]


def test_a_data_sheet_names_each_precision_and_link_once() -> None:
    peak = PeakRate(precision="bf16", flop_per_s=4e14)
    link = DeviceLink(kind="pcie", count=1, bandwidth_bytes_per_s=6.4e10)
    sheet = Device(
        vendor="ascend",
        model="X1",
        memory_bytes=2**36,
        memory_bandwidth_bytes_per_s=1.6e12,
        peak=(peak, peak),
        links=(link, link),
        sources=("data sheet of March 2026",),
    )
    assert [fault.path for fault in sheet.faults()] == [("peak", 1, "precision"), ("links", 1, "kind")]

import msgspec

from l0_infra.schemas import Device, DeviceLink, DeviceSource, HugepagesPin, PeakRate, Pins, SoftwarePin


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


PEAK = PeakRate(precision="bf16", flop_per_s=4e14)
LINK = DeviceLink(kind="pcie", count=1, bandwidth_bytes_per_s=6.4e10)
SHEET = Device(
    name="x1",
    vendor="ascend",
    model="X1",
    printed_names=("X1",),
    memory_bytes=2**36,
    memory_bandwidth_bytes_per_s=1.6e12,
    peak=(PEAK,),
    links=(LINK,),
    sources=(
        DeviceSource(
            url="https://example.org/x1", title="X1", subjects=("memory", "memory bandwidth", "peak")
        ),
        DeviceSource(url="https://example.org/review", title="A review", subjects=("links",), secondary=True),
    ),
)


def test_a_data_sheet_names_each_precision_and_link_once() -> None:
    assert list(SHEET.faults()) == []
    twice = msgspec.structs.replace(SHEET, peak=(PEAK, PEAK), links=(LINK, LINK))
    assert [fault.path for fault in twice.faults()] == [("peak", 1, "precision"), ("links", 1, "kind")]


def test_every_number_of_a_data_sheet_needs_a_source() -> None:
    bare = msgspec.structs.replace(SHEET, sources=SHEET.sources[:1])
    assert [fault.found for fault in bare.faults()] == ["none for links"]
    assert list(msgspec.structs.replace(bare, links=()).faults()) == []

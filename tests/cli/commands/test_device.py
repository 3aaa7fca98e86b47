"""`ogai device`: data sheets for people and programs, and the same in Python."""

import json

import click
import msgspec
import pytest
import yaml

import ogai
from l0_infra.core.errors import UsageError
from l0_infra.schemas import Device, DeviceLink, DeviceSource, PeakRate
from ogai.commands.device import DeviceName
from ogai.main import main
from ogai.render.device import describe_device

SHEET = Device(
    name="x2",
    vendor="ascend",
    model="X2 (one of two)",
    printed_names=("X2", "NPU X2"),
    accelerators_per_package=2,
    memory_bytes=48 * 2**30,
    memory_bandwidth_bytes_per_s=9.5e11,
    peak=(PeakRate(precision="bf16", flop_per_s=1.2345e15), PeakRate(precision="int8", flop_per_s=2.5e14)),
    links=(DeviceLink(kind="hccs", count=4, bandwidth_bytes_per_s=2.4e11),),
    sources=(
        DeviceSource(
            url="https://example.org/a", title="Data sheet", subjects=("memory", "memory bandwidth")
        ),
        DeviceSource(
            url="https://example.org/b", title="A review", subjects=("peak", "links"), secondary=True
        ),
    ),
    notes=("Mind the fan.",),
)


def test_a_sheet_shows_every_number_with_its_source() -> None:
    shown = dict(describe_device(SHEET))
    assert shown["  name"] == "x2" and shown["  printed as"] == "X2, NPU X2"
    assert shown["  package"] == "holds 2; the numbers are those of one"
    assert shown["  memory"] == "48 GiB at 950 GB/s"
    assert (shown["  bf16"], shown["  int8"]) == ("1,234.5 TFLOPS", "250 TOPS")
    assert shown["  hccs"] == "4 × 60 GB/s"
    assert shown["  memory, memory bandwidth"] == "Data sheet"
    assert shown["  peak, links"] == "A review; not the vendor's"
    assert [value for name, value in describe_device(SHEET) if value.startswith("https")] == [
        source.url for source in SHEET.sources
    ]
    assert shown["Notes"] == "Mind the fan."


def test_what_is_not_published_is_said() -> None:
    bare = dict(describe_device(msgspec.structs.replace(SHEET, peak=(), links=(), notes=())))
    assert (bare["Peak, dense"], bare["Links, one way"]) == ("not published", "none known")
    assert "Notes" not in bare


def test_the_list_has_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["device", "list"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["NAME", "MEMORY", "BANDWIDTH", "FP16", "BF16", "FP8", "FP4", "LINKS"]
    assert [line.split()[0] for line in lines] == [device.name for device in ogai.device.poll()]


def test_programs_get_documents(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["device", "list", "-o", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert main(["device", "show", listed[0]["name"], "-o", "yaml"]) == 0
    assert yaml.safe_load(capsys.readouterr().out) == listed[0]
    assert listed[0]["kind"] == "device"


def test_a_name_is_found_in_any_letter_case_and_an_unknown_one_gets_those_like_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ogai.device.show("MI300X").name == "mi300x"
    with pytest.raises(UsageError) as error:
        ogai.device.show("910b4")
    assert error.value.hint == "those like it: ascend-910b4, ascend-910b4-64"
    with pytest.raises(UsageError) as error:
        ogai.device.show("mi330x")
    assert "mi300x" in error.value.hint
    with pytest.raises(UsageError):
        ogai.device.show("")
    assert main(["device", "show", "zzz"]) == 2
    assert "`ogai device list`" in capsys.readouterr().err


def test_the_shell_completes_names() -> None:
    command = click.Command("show")
    items = DeviceName().shell_complete(click.Context(command), click.Argument(["name"]), "ascend-910b4")
    assert [item.value for item in items] == ["ascend-910b4", "ascend-910b4-64"]

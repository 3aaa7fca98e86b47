"""What disks say of themselves, in the words of versions of `nvme` and `smartctl`."""

import json

import pytest

from l0_infra.facts.bundle import Answer
from l0_infra.schemas import DiskHealth
from tests.support.facts import facts_of, said

DISKS = json.dumps(
    {
        "blockdevices": [
            {"name": name, "type": "disk", "size": 10**12, "serial": serial}
            for name, serial in (("nvme0n1", "S1"), ("nvme1n1", "S2"), ("nvme10n1", "S3"), ("sda", "S4"))
        ]
    }
)
LOG = {
    "critical_warning": 0,
    "temperature": 311,
    "avail_spare": 98,
    "spare_thresh": 10,
    "percent_used": 7,
    "power_on_hours": 8760,
    "media_errors": 2,
}
NVME = DiskHealth(
    passed=True,
    critical_warning=0,
    wear_percent=7,
    spare_percent=98,
    spare_threshold_percent=10,
    media_errors=2,
    temperature_c=38,
    powered_on_s=8760 * 3600,
)
TEXT = """\
Smart Log for NVME device:nvme0n1 namespace-id:ffffffff
critical_warning			: 0
temperature				: {temperature}
available_spare				: 98%
available_spare_threshold		: 10%
percentage_used				: 7%
endurance group critical warning summary: 0
Data Units Read				: 1,234,567 (632.10 GB)
power_on_hours				: {hours}
media_errors				: 2
Temperature Sensor 1			: 44 °C (317 K)
"""


def health(nvme: str | Answer = "", smartctl: str | Answer = "") -> dict[str, DiskHealth]:
    facts = facts_of({"lsblk.json": DISKS, "nvme-smart-log.json": nvme, "smartctl.json": smartctl})
    return {disk.name: disk.health for disk in facts.disks if disk.health}


def asked(log: object, device: str = "nvme0n1") -> str:
    return f"$ nvme smart-log -o json /dev/{device}\n{json.dumps(log, indent=2)}\n"


@pytest.mark.parametrize(
    "log",
    [
        LOG,
        LOG | {"power_on_hours": "8760", "media_errors": "2"},
        LOG | {"power_on_hours": 8760.0},
        LOG | {"critical_warning": {"value": 0, "available_spare": 0, "ro": 0}},
        {key.capitalize(): value for key, value in LOG.items()},
    ],
)
def test_nvme_json_of_many_versions(log: object) -> None:
    assert health(asked(log)) == {"nvme0n1": NVME}


@pytest.mark.parametrize(
    ("temperature", "hours"),
    [
        ("38 C", "8,760"),
        ("38 C (311 Kelvin)", "8760"),
        ("38 °C (311 K)", "8.760"),
        ("101 °F (311 K)", "8 760"),
        ("38 °C (311 K, 101 °F)", "8760"),
    ],
)
def test_nvme_text_of_many_versions(temperature: str, hours: str) -> None:
    assert health(TEXT.format(temperature=temperature, hours=hours)) == {"nvme0n1": NVME}


@pytest.mark.parametrize("kelvin", [0, "", None, 70000, -3])
def test_a_temperature_that_is_not_told(kelvin: object) -> None:
    found = health(asked(LOG | {"temperature": kelvin}))["nvme0n1"].temperature_c
    assert found is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"media_errors": 2**127}, "media_errors"),
        ({"percent_used": 300}, "wear_percent"),
        ({"avail_spare": 101}, "spare_percent"),
        ({"critical_warning": 4096}, "critical_warning"),
        ({"power_on_hours": "many"}, "powered_on_s"),
    ],
)
def test_numbers_out_of_range_are_unknown(change: dict[str, object], field: str) -> None:
    assert getattr(health(asked(LOG | change))["nvme0n1"], field) is None


def test_worn_beyond_its_rating_and_warning() -> None:
    found = health(asked(LOG | {"percent_used": 137, "critical_warning": 5}))["nvme0n1"]
    assert (found.wear_percent, found.critical_warning, found.passed) == (137, 5, False)


def test_each_log_goes_to_its_own_disk() -> None:
    text = asked(LOG, "nvme10n1") + asked(LOG | {"percent_used": 9}, "nvme1")
    found = health(text)
    assert {name: one.wear_percent for name, one in found.items()} == {"nvme10n1": 7, "nvme1n1": 9}


def test_a_log_without_a_name_belongs_to_nobody_among_many() -> None:
    assert health(json.dumps(LOG)) == {}
    alone = {"blockdevices": [{"name": "nvme4n1", "type": "disk"}, {"name": "sda", "type": "disk"}]}
    facts = facts_of({"lsblk.json": json.dumps(alone), "nvme-smart-log.json": json.dumps(LOG, indent=2)})
    assert [disk.name for disk in facts.disks if disk.health == NVME] == ["nvme4n1"]


def attribute(number: int, name: str, value: int, raw: int, string: str) -> dict[str, object]:
    return {"id": number, "name": name, "value": value, "raw": {"value": raw, "string": string}}


ATA = {
    "smartctl": {"version": [7, 2], "exit_status": 64},
    "device": {"name": "/dev/sda", "info_name": "/dev/sda [SAT]", "type": "sat", "protocol": "ATA"},
    "serial_number": "S4",
    "smart_status": {"passed": True},
    "ata_smart_attributes": {
        "table": [
            attribute(5, "Reallocated_Sector_Ct", 100, 262152, "8 (4 0)"),
            attribute(197, "Current_Pending_Sector", 100, 3, "3"),
            attribute(231, "SSD_Life_Left", 91, 91, "91"),
        ]
    },
    "power_on_time": {"hours": 100, "minutes": 30},
    "temperature": {"current": 33},
}
SCSI = {
    "device": {"name": "/dev/sda", "protocol": "SCSI"},
    "smart_status": {"passed": False},
    "temperature": {"current": 29, "drive_trip": 60},
    "scsi_grown_defect_list": 5,
    "scsi_percentage_used_endurance_indicator": 4,
    "scsi_error_counter_log": {
        "read": {"total_uncorrected_errors": 1},
        "write": {"total_uncorrected_errors": 2},
    },
}
NVME_BY_SMARTCTL = {
    "device": {"name": "/dev/nvme1", "protocol": "NVMe"},
    "serial_number": "S2",
    "smart_status": {"passed": True, "nvme": {"value": 0}},
    "nvme_smart_health_information_log": {
        "critical_warning": 0,
        "temperature": 38,
        "available_spare": 98,
        "available_spare_threshold": 10,
        "percentage_used": 7,
        "power_on_hours": 8760,
        "media_errors": 2,
    },
    "temperature": {"current": 38},
    "power_on_time": {"hours": 8760},
}


def test_ata() -> None:
    assert health(smartctl=json.dumps(ATA, indent=2)) == {
        "sda": DiskHealth(
            passed=True,
            wear_percent=9,
            reallocated_sectors=8,
            pending_sectors=3,
            temperature_c=33,
            powered_on_s=100 * 3600 + 30 * 60,
        )
    }


def test_ata_of_a_version_that_tells_endurance_itself() -> None:
    found = health(smartctl=json.dumps(ATA | {"endurance_used": {"current_percent": 12}}))
    assert found["sda"].wear_percent == 12


def test_scsi() -> None:
    assert health(smartctl=json.dumps(SCSI)) == {
        "sda": DiskHealth(
            passed=False, wear_percent=4, media_errors=3, reallocated_sectors=5, temperature_c=29
        )
    }


def test_smartctl_knows_nvme_too_and_fills_what_nvme_does_not_tell() -> None:
    told = json.dumps(NVME_BY_SMARTCTL, indent=2)
    with_verdict = DiskHealth(
        **{name: getattr(NVME, name) for name in NVME.__struct_fields__} | {"passed": True}
    )
    assert health(smartctl=told) == {"nvme1n1": with_verdict}
    both = health(asked(LOG | {"percent_used": 8}, "nvme1n1"), told)["nvme1n1"]
    assert (both.wear_percent, both.passed) == (8, True)


def test_documents_one_after_another() -> None:
    text = f"{json.dumps(ATA, indent=2)}\n{json.dumps(NVME_BY_SMARTCTL)}\n"
    assert health(smartctl=text).keys() == {"sda", "nvme1n1"}


def test_a_controller_s_log_goes_by_serial_number() -> None:
    renamed = NVME_BY_SMARTCTL | {"device": {"name": "/dev/nvme7"}, "serial_number": "S3"}
    assert health(smartctl=json.dumps(renamed)).keys() == {"nvme10n1"}


def test_a_disk_that_sleeps_has_no_health() -> None:
    asleep = {"device": {"name": "/dev/sda"}, "smartctl": {"exit_status": 2}, "power_mode": {"ata_value": 0}}
    facts = facts_of({"lsblk.json": DISKS, "smartctl.json": json.dumps(asleep)})
    assert {disk.health for disk in facts.disks} == {None}


def test_who_is_not_root_is_told_once() -> None:
    err = "nvme: /dev/nvme0n1: Permission denied\nnvme: /dev/nvme1n1: Permission denied\n"
    out = "$ nvme smart-log -o json /dev/nvme0n1\n$ nvme smart-log -o json /dev/nvme1n1\n"
    facts = facts_of({"lsblk.json": DISKS, "nvme-smart-log.json": said(out, err)})
    (fault,) = facts.unread
    assert (fault.what, fault.reason, fault.hint) == ("nvme smart-log", "denied", "look as root")


def test_the_disk_that_hangs_is_named_and_those_before_it_are_kept() -> None:
    text = asked(LOG) + "$ nvme smart-log -o json /dev/nvme1n1\n"
    hung = Answer(end="hung", out=text)
    facts = facts_of({"lsblk.json": DISKS, "nvme-smart-log.json": hung})
    assert [disk.name for disk in facts.disks if disk.health] == ["nvme0n1"]
    assert [(one.what, one.reason) for one in facts.unread] == [("nvme smart-log /dev/nvme1n1", "hung")]


def test_nonsense_is_told() -> None:
    facts = facts_of({"lsblk.json": DISKS, "nvme-smart-log.json": "Usage: nvme smart-log <device>\n"})
    assert [(one.what, one.reason) for one in facts.unread] == [("nvme smart-log", "garbled")]

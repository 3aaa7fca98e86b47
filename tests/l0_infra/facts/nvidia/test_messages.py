"""What `nvidia-smi` says instead of an answer, in each spelling: named, explained, told once."""

import pytest

from l0_infra.facts.bundle import HUNG, Answer
from l0_infra.facts.nvidia import SOURCES
from tests.support.nvidia_answers import APPS, CSV, LINKS, LOG, TABLE, document, found

UUID = "GPU-5d20{n}e71-88ac-4f19-a2c3-7b6e01d94f5{n}"
GPU = f"<uuid>{UUID}</uuid><processes></processes>"
ROW = f"{{n}}, NVIDIA H100 NVL, {UUID}, 95830, 0, 0, 00000000:0{{m}}:00.0, 565.57.01\n"
MODULE = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.163.01  Tue Apr  8 12:41:17 UTC 2025\n"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\n"
NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest"
    " NVIDIA driver is installed and running.\n"
)


def failed(code: int, out: str, err: str = "") -> Answer:
    return Answer(end="exit", code=code, out=out, err=err)


@pytest.mark.parametrize(
    ("said", "library"),
    [
        (MISMATCH + "NVML library version: 550.163\n", "550.163"),
        (MISMATCH, "of another version"),
        (MISMATCH.replace("\n", "\r\n") + "NVML library version: 580.65\r\n", "580.65"),
    ],
)
@pytest.mark.parametrize("name", [LOG, CSV, TABLE])
def test_versions_that_differ_are_named_with_the_mend(name: str, said: str, library: str) -> None:
    for answer in (failed(18, said), failed(18, "", said), failed(0, said)):
        (fault,) = found({name: answer, "proc-driver-nvidia-version.txt": MODULE}).unread
        assert fault.reason == "driver mismatch" and "reboot" in fault.hint
        assert "kernel module is 550.163.01" in fault.detail and fault.detail.endswith(
            f"library is {library}"
        )


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        (NO_DRIVER, "modprobe nvidia"),
        ("No devices were found\n", "lspci -d 10de:"),
        ("Failed to initialize NVML: Insufficient Permissions\n", "as root"),
        ("Failed to initialize NVML: Unknown Error\n", ""),
    ],
)
def test_what_keeps_every_form_from_answering_is_told_once(said: str, hint: str) -> None:
    everywhere = {source.name: failed(9, said) for source in SOURCES if source.name.startswith("nvidia-smi")}
    for files in (everywhere, {TABLE: failed(0, said)}, {LOG: failed(6, "", said)}):
        told = found(files)
        assert told.accelerators == ()
        assert [(fault.what, fault.reason) for fault in told.unread] == [("nvidia-smi", "failed")]
        assert told.unread[0].detail == said.strip() and hint in told.unread[0].hint


def test_a_tool_that_hangs_in_every_form_is_told_once() -> None:
    told = found(dict.fromkeys((LOG, CSV, APPS, TABLE, LINKS), HUNG))
    assert [(fault.what, fault.reason) for fault in told.unread] == [("nvidia-smi", "hung")]


def test_a_form_that_fails_alone_is_told_by_its_name() -> None:
    rows = "".join(ROW.format(n=n, m=n + 1) for n in range(2))
    told = found({CSV: rows, LOG: failed(255, "Unknown failure\n"), LINKS: HUNG})
    assert len(told.accelerators) == 2
    assert [fault.what for fault in told.unread] == ["nvidia-smi -q -x", "nvidia-smi nvlink --status"]


LOST = [
    "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU",
    "Unable to determine the device handle for GPU0000:02:00.0: Unknown Error",
    "Unable to determine the device handle for GPU1: 0000:02:00.0: Unknown Error",
    "Unable to determine the device handle for gpu 00000000:02:00.0: Unknown Error",
]


@pytest.mark.parametrize("line", LOST)
def test_a_lost_gpu_is_told_and_the_others_keep_their_numbers(line: str) -> None:
    three = document(*(GPU.format(n=n) for n in (0, 1, 2)), attached=3)
    without = three.replace('<gpu id="00000000:02:00.0">', "<cut>").replace(three.split("</gpu>\n")[1], "")
    assert "02:00.0" not in without
    told = found({LOG: failed(15, f"{line}\n{without}")})
    assert [(one.id, one.pci) for one in told.accelerators] == [
        ("nvidia:0", "0000:01:00.0"),
        ("nvidia:2", "0000:03:00.0"),
    ]
    assert [(fault.detail, "reset" in fault.hint) for fault in told.unread] == [(line, True)]


def test_a_lost_gpu_is_told_once_however_often_it_is_said() -> None:
    rows = ROW.format(n=0, m=1) + LOST[1] + "\n"
    told = found({CSV: failed(15, rows), APPS: failed(15, LOST[2]), LOG: failed(15, "", LOST[0])})
    assert [one.id for one in told.accelerators] == ["nvidia:0"]
    assert len(told.unread) == 1


def test_a_lost_gpu_whose_address_is_not_told_is_no_row() -> None:
    line = "Unable to determine the device handle for GPU 0: Unknown Error"
    told = found({CSV: failed(0, ROW.format(n=1, m=2) + line)})
    assert [one.index for one in told.accelerators] == [1]
    assert [fault.detail for fault in told.unread] == [line]


def test_a_corrupted_inforom_spoils_no_answer() -> None:
    rows = (
        "".join(ROW.format(n=n, m=n + 1) for n in range(2))
        + "WARNING: infoROM is corrupted at gpu 0000:02:00.0\n"
    )
    told = found({CSV: failed(14, rows), APPS: failed(14, f"{UUID.format(n=0)}, 311, 20\n")})
    assert told.unread == ()
    assert [one.condition and one.condition.error_codes for one in told.accelerators] == [
        None,
        ("infoROM corrupted",),
    ]
    assert [[process.pid for process in one.processes or ()] for one in told.accelerators] == [[311], []]


@pytest.mark.parametrize(
    ("apps", "busy"),
    [
        ("", [(), ()]),
        ("No running processes found\n", [(), ()]),
        (f"{UUID.format(n=1)}, 311, 20\n", [(), (311,)]),
        (f"{UUID.format(n=1)}, [Insufficient Permissions], [N/A]\n", [(), None]),
        (f"{UUID.format(n=1)}, 311, 20\nMIG-0d7795fe-0c1b-5c27-a9a8-57a1ce0d2f61, 42, 7\n", [None, (311,)]),
        ("[N/A], 311, 20\n", [None, None]),
        (failed(255, f"{UUID.format(n=1)}, 311, 20\n"), [None, None]),
        (HUNG, [None, None]),
    ],
)
def test_a_gpu_is_free_only_when_that_is_known(
    apps: str | Answer, busy: list[tuple[int, ...] | None]
) -> None:
    rows = "".join(ROW.format(n=n, m=n + 1) for n in range(2))
    told = [one.processes for one in found({CSV: rows, APPS: apps}).accelerators]
    assert [None if own is None else tuple(process.pid for process in own) for own in told] == busy

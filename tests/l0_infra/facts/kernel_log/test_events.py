"""What a whole log tells: each thing once for each device, as often as it was told, with its times."""

import sys
from types import FrameType

import pytest

from l0_infra.facts.bundle import ABSENT, HUNG, NOT_ASKED, Answer
from l0_infra.facts.kernel_log import find_events, parse_log
from l0_infra.schemas import KernelEvent
from tests.support.kernel_logs import NOW, answers, log_of

BOOT = "btime 1778306400\n90000.00 1.0\n+0000\n"


def events_of(log: str, boot: str = "") -> tuple[KernelEvent, ...]:
    found = find_events(log_of(log, boot))
    assert found is not None
    return found


def test_what_is_told_again_is_one_event_with_its_first_and_last_time() -> None:
    log = """\
[  100.5] NVRM: Xid (PCI:0000:c1:00): 31, pid=7, name=python, MMU Fault
[  200.0] usb 1-1: new high-speed USB device number 2
[  300.25] NVRM: Xid (0000:C1:00): 31, pid=9, name=python, MMU Fault
[  301.0] NVRM: Xid (PCI:0000:c2:00): 31, pid=9, name=python, MMU Fault
"""
    first, second = events_of(log, BOOT)
    assert (first.name, first.device, first.code, first.count) == ("xid-31", "0000:c1:00.0", 31, 2)
    assert (first.first_uptime_s, first.last_uptime_s) == (100.5, 300.25)
    assert (first.first_at, first.last_at) == (1778306500.5, 1778306700.25)
    assert first.text == "NVRM: Xid (0000:C1:00): 31, pid=9, name=python, MMU Fault"
    assert (second.device, second.count, second.first_at) == ("0000:c2:00.0", 1, 1778306701.0)


def test_events_come_in_the_order_of_their_last_telling() -> None:
    log = "[ 30.0] nvme nvme1: I/O 7 QID 3 timeout, aborting\n[ 10.0] TCP: out of memory -- consider tuning tcp_mem\n"
    again = log + "[ 40.0] TCP: out of memory -- consider tuning tcp_mem\n"
    assert [event.name for event in events_of(log)] == ["tcp-memory-full", "nvme-timeout"]
    assert [event.name for event in events_of(again)] == ["nvme-timeout", "tcp-memory-full"]


def test_times_that_nobody_knows_are_not_made_up() -> None:
    (event,) = events_of("TCP: out of memory -- consider tuning tcp_mem\n" * 3)
    assert (event.count, event.first_at, event.last_at) == (3, None, None)
    assert (event.first_uptime_s, event.last_uptime_s) == (None, None)


def test_a_gpu_that_fell_off_the_bus_is_found_in_each_way_it_is_told() -> None:
    log = """\
[  1.0] NVRM: Xid (PCI:0000:05:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
[  2.0] NVRM: GPU 19:00.0: GPU has fallen off the bus.
[  3.0] NVRM: The NVIDIA GPU 0000:3b:00.0
               NVRM: (PCI ID: 10de:2330) installed in this system has
               NVRM: fallen off the bus and is not responding to commands.
[  4.0] NVRM: The NVIDIA GPU 0000:4c:00.0 (PCI ID: 10de:2330)
[  4.0] NVRM: installed in this system has
[  4.0] NVRM: fallen off the bus and is not responding to commands.
"""
    found = [(event.device, event.code, event.severity, event.action) for event in events_of(log)]
    assert found == [
        ("0000:05:00.0", 79, "fatal", "reboot node"),
        ("0000:19:00.0", None, "fatal", "reboot node"),
        ("0000:3b:00.0", None, "fatal", "reboot node"),
        ("0000:4c:00.0", None, "fatal", "reboot node"),
    ]


def test_what_an_xid_154_calls_for_is_what_it_says() -> None:
    text = "NVRM: Xid (PCI:0009:01:00): 154, GPU recovery action changed from 0x0 (None) to {}"
    told = {
        action: [(event.name, event.action) for event in events_of(f"[ 1.0] {text.format(action)}")]
        for action in ("0x1 (GPU Reset Required)", "0x2 (OS Reboot)", "0x4 (Drain and Reset)")
    }
    assert told == {
        "0x1 (GPU Reset Required)": [("xid-154-reset", "reset device")],
        "0x2 (OS Reboot)": [("xid-154-reboot", "reboot node")],
        "0x4 (Drain and Reset)": [("xid-154-drain-and-reset", "reset device")],
    }


def test_an_xid_nobody_knows_is_kept_with_its_number() -> None:
    (event,) = events_of("[ 1.0] NVRM: Xid (PCI:0000:05:00): 4711, pid=3, name=x, something new")
    assert (event.name, event.code, event.severity, event.device) == ("xid", 4711, "warning", "0000:05:00.0")


SILENT = """\
[    0.000000] Linux version 6.8.0-45-generic (buildd@lcy02) #45-Ubuntu SMP
[    0.412000] EDAC MC: Ver: 3.0.0
[    2.100000] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.15
[    2.200000] nvidia: module verification failed: signature and/or required key missing - tainting kernel
[    2.300000] nvidia-nvswitch2: open (major=510)
[    3.000000] mlx5_core 0000:a1:00.0: firmware version: 28.39.1002
[    3.100000] mlx5_core 0000:a1:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)
[    3.200000] mlx5_core 0000:a1:00.0: Port module event: module 0, Cable plugged
[    3.300000] mlx5_core 0000:a1:00.0: mlx5_pcie_event:301:(pid 9): PCIe slot advertised sufficient power (75W).
[    3.400000] mlx5_core 0000:a1:00.0 ens2f0np0: Link up
[    4.000000] IPv6: ADDRCONF(NETDEV_CHANGE): cali17ab: link becomes ready
[    5.000000] systemd-networkd[812]: vethab12: Lost carrier
[    6.000000] perf: interrupt took too long (2509 > 2500), lowering kernel.perf_event_max_sample_rate to 79500
[    7.000000] nvidia-nvswitch1: SXid (PCI:0000:84:00.0): 12028, Severity 1 Engine instance 40 Sub-engine instance 00
[    7.000001] nvidia-nvswitch1: SXid (PCI:0000:84:00.0): 12028, Data {0x00140004, 0x00100000, 0x00140004}
[    8.000000] traps: python3[88] general protection fault ip:7f1 sp:7f2 error:0 in libc.so.6[7f1+1000]
[    9.000000] amdgpu 0000:83:00.0: amdgpu: GPU reset(2) succeeded!
[   10.00000] EXT4-fs (md0): mounted filesystem 5e with ordered data mode. Quota mode: none.
[   11.00000] Lustre: work-OST0011-osc-ffff9a3c: Connection restored to 10.9.0.4@o2ib
[   12.00000] pcieport 0000:b0:02.0: AER: device recovery successful
[   13.00000] mce: CPU9: Package temperature/speed normal
[   14.00000] NVRM: GPU at PCI:0000:9b:00: GPU-50966500-0000-0000-0000-000000000000
"""


def test_lines_of_a_healthy_node_tell_nothing() -> None:
    assert events_of(SILENT) == ()


def test_a_line_that_is_too_long_is_cut() -> None:
    (event,) = events_of("[ 1.0] Kernel panic - not syncing: " + "x" * 100_000)
    assert len(event.text) == 400


@pytest.mark.parametrize("answer", [ABSENT, NOT_ASKED])
def test_a_log_that_nobody_read_is_not_an_empty_one(answer: Answer) -> None:
    log = parse_log(answers("") | {"kernel.log": answer}, NOW)
    assert (find_events(log), log.unread) == (None, ())


def test_a_log_that_hangs_is_told() -> None:
    log = parse_log(answers("") | {"kernel.log": HUNG}, NOW)
    assert find_events(log) is None
    assert [(one.what, one.reason) for one in log.unread] == [("kernel.log", "hung")]


def test_a_log_that_may_not_be_read_is_told_with_what_to_do() -> None:
    err = "dmesg: read kernel buffer failed: Operation not permitted"
    log = parse_log(answers("", code=1, err=err), NOW)
    (unread,) = log.unread
    assert find_events(log) is None
    assert (unread.reason, unread.detail) == ("denied", err)
    assert "root" in unread.hint and "dmesg_restrict" in unread.hint


def test_what_came_before_a_failure_counts() -> None:
    log = parse_log(answers("[ 1.0] Kernel panic - not syncing: x", code=2, err="killed"), NOW)
    assert [event.name for event in find_events(log) or ()] == ["kernel-panic"]
    assert [one.reason for one in log.unread] == ["failed"]


def calls(lines: int) -> int:
    """Count what Python does for a log of so many lines, half of them hostile."""
    hostile = "NVRM: Xid (: Xid (NVRM: Xid (PCI:0000:1b:00): 149, NETIR_LINK_ amdgpu : * RAS records: exceed threshold"
    log = f"[ 1.0] {hostile}\n[ 2.0] usb 1-1: new device\n" * (lines // 2)
    done = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal done
        done += 1

    sys.setprofile(count)
    try:
        events_of(log)
    finally:
        sys.setprofile(None)
    return done


def test_work_grows_with_the_log_and_not_with_its_square() -> None:
    calls(2)  # the catalogue is read
    assert calls(8000) < 4.2 * calls(2000)

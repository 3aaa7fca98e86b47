"""The script that picks a node's lines, run by this machine's own shell and by busybox."""

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from l0_infra.core.exec import LocalRunner
from l0_infra.facts.ask import ask
from l0_infra.facts.bundle import Answer, Source
from l0_infra.facts.kernel_log import SOURCES, find_events, parse_log

pytestmark = pytest.mark.real
LOG, BOOT_TIME = SOURCES
APPLETS = ("awk", "cut", "grep", "head", "sort", "tail")
RARE = "2026-05-09T08:00:00+0000 node7 kernel: NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus."
ONCE = "2026-05-09T08:00:01+0000 node7 kernel: nfs: server 10.3.0.9 not responding, still trying"
FLOOD = (
    "2026-05-09T08:00:02+0000 node7 kernel: pcieport 0000:b0:02.0: PCIe Bus Error: severity=Corrected, id={}"
)
PODS = "2026-05-09T08:00:02+0000 node7 kernel: IPv6: ADDRCONF(NETDEV_CHANGE): cali{}: link becomes ready"


@pytest.fixture
def runner() -> Iterator[LocalRunner]:
    with LocalRunner() as local:
        yield local


@pytest.fixture(params=["sh", "busybox"])
def tools(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder first on PATH, with busybox's programs in place of this machine's where that is asked for."""
    if request.param == "busybox":
        busybox = shutil.which("busybox")
        if busybox is None:
            pytest.skip("busybox is not installed")
        for name in APPLETS:
            (tmp_path / name).symlink_to(busybox)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def tool(folder: Path, name: str, body: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


def journal(folder: Path, body: str) -> Source:
    """Make a journal in a folder, and a program that reads it; return how to ask for it."""
    file = folder / "kept/0123/system.journal"
    file.parent.mkdir(parents=True)
    file.touch()
    tool(folder, "journalctl", body)
    return replace(LOG, command=LOG.command.replace("/var/log/journal", str(folder / "kept")))


def said(runner: LocalRunner, source: Source) -> Answer:
    return ask(runner, (source,), 20)[source.name]


def test_no_flood_crowds_out_what_was_told_once(tools: Path, runner: LocalRunner) -> None:
    flood = [line.format(number) for number in range(20_000) for line in (FLOOD, PODS)]
    (tools / "log").write_text("\n".join([RARE, ONCE, "unrelated", *flood, ""]))
    answer = said(runner, journal(tools, f"cat {tools}/log"))
    lines = answer.out.split("\n")
    assert lines[:2] == [RARE, ONCE]
    assert lines[2:] == [FLOOD.format(number) for number in range(19_800, 20_000)]
    log = parse_log({LOG.name: answer, BOOT_TIME.name: Answer(end="exit", code=0)}, time.time())
    found = [(event.name, event.device, event.count) for event in find_events(log) or ()]
    assert found == [
        ("xid-79", "0000:1b:00.0", 1),
        ("nfs-silent", "10.3.0.9", 1),
        ("pcie-corrected", "0000:b0:02.0", 200),
    ]


def test_without_a_journal_the_kernel_s_buffer_is_asked(tools: Path, runner: LocalRunner) -> None:
    asked = journal(tools, "echo 'No journal files were found.' >&2; exit 1")
    tool(
        tools, "dmesg", "echo '[    1.5] usb 1-1: new device'; echo '[    2.5] Kernel panic - not syncing: x'"
    )
    assert said(runner, asked).out == "[    2.5] Kernel panic - not syncing: x"
    assert said(runner, replace(LOG, command=LOG.whole or "")).out.count("\n") == 1


def test_a_log_with_nothing_that_matters_is_empty_and_read(tools: Path, runner: LocalRunner) -> None:
    quiet = "2026-05-09T08:00:01+0000 node7 kernel: usb 1-1: new device"
    answer = said(runner, journal(tools, f"echo '{quiet}'"))
    assert (answer.ok, answer.out) == (True, "")


def test_who_may_read_neither_is_told_so(tools: Path, runner: LocalRunner) -> None:
    nothing = journal(tools, "exit 1")
    tool(tools, "dmesg", "echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2; exit 1")
    log = parse_log(ask(runner, (nothing, BOOT_TIME), 20), time.time())
    assert (find_events(log), [one.reason for one in log.unread]) == (None, ["denied"])


def test_this_machine_s_clock(runner: LocalRunner) -> None:
    log = parse_log(ask(runner, SOURCES, 20), 0.0)
    assert log.clock.asked_at == pytest.approx(time.time(), abs=5)
    assert log.clock.booted_at == pytest.approx(
        time.time() - float(Path("/proc/uptime").read_text().split()[0]), abs=5
    )

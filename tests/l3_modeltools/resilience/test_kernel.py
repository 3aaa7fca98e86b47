"""Records of /dev/kmsg are read as the kernel documents them, as they come and never waiting."""

import errno
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.resilience.kernel import KMSG, KernelLine, open_kernel_log, parse_kmsg


def test_a_record_has_a_time_and_a_text() -> None:
    record = "3,811,91000250,-;NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\n"
    line = parse_kmsg(record, booted_at=1_000_000.0)
    assert line == KernelLine(at=1_000_091.00025, text=record.split(";")[1].strip())


def test_properties_of_the_device_are_no_text_and_escapes_are_undone() -> None:
    record = "6,7,100,c,caller=T12;a \\x09tab; and more\n SUBSYSTEM=pci\n DEVICE=+pci:0000:1b:00.0\n"
    line = parse_kmsg(record, booted_at=0.0)
    assert line is not None and line.text == "a \ttab; and more"


@given(st.text())
def test_what_is_no_record_is_passed_over(text: str) -> None:
    line = parse_kmsg(text, booted_at=0.0)
    assert line is None or ";" in text


def test_a_log_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    assert open_kernel_log(tmp_path / "nothing") is None


class Ring:
    """A kernel's ring of records as read(2) of /dev/kmsg shows it; an OSError stands for what it answers instead."""

    def __init__(self, *answers: bytes | OSError) -> None:
        self.answers = list(answers)

    def read(self, descriptor: int, size: int) -> bytes:
        answer = self.answers.pop(0) if self.answers else BlockingIOError(errno.EAGAIN, "nothing more")
        if isinstance(answer, OSError):
            raise answer
        return answer


def read_from(ring: Ring, file: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Read what a ring holds that is mounted in the place of a file."""
    file.touch()
    log = open_kernel_log(file)
    assert log is not None
    with monkeypatch.context() as patch:
        patch.setattr(os, "read", ring.read)
        texts = [line.text for line in log.read()]
    log.close()
    return texts


OVERWRITTEN = BrokenPipeError(errno.EPIPE, "records were overwritten")


def test_after_records_that_were_overwritten_it_goes_on_behind_the_gap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = Ring(OVERWRITTEN, b"3,9,100,-;first\n", OVERWRITTEN, OVERWRITTEN, b"3,812,200,-;later\n")
    assert read_from(ring, tmp_path / "kmsg", monkeypatch) == ["first", "later"]
    assert ring.answers == []


def test_a_kernel_that_overwrites_faster_than_it_is_read_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = Ring(*[OVERWRITTEN] * 10_000)
    assert read_from(ring, tmp_path / "kmsg", monkeypatch) == []
    assert 0 < len(ring.answers) < 10_000


@pytest.mark.real
def test_a_line_written_to_the_kernel_log_is_read() -> None:
    log = open_kernel_log()
    if log is None or not os.access(KMSG, os.W_OK):
        pytest.skip("this user may not read and write /dev/kmsg")
    assert log.read() == ()
    mark = f"ogai-test-{os.getpid()}: one line"
    KMSG.write_text(f"{mark}\n")
    lines = [line for line in log.read() if line.text == mark]
    log.close()
    assert len(lines) == 1 and abs(lines[0].at - time.time()) < 60

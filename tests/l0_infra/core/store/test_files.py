"""A saved file is whole or absent."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from l0_infra.core.store import append_line, reserve_room, save_file
from tests.support.small_disk import a_small_disk, fill

WRITER = """
import resource, sys
from pathlib import Path
from l0_infra.core.store import save_file
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
save_file(Path(sys.argv[1]), b"x" * 1000)
"""


def test_mode_and_content(tmp_path: Path) -> None:
    target = tmp_path / "f"
    save_file(target, b"one", mode=0o600)
    save_file(target, b"two", mode=0o600)
    assert target.read_bytes() == b"two"
    assert target.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_write_that_fails_keeps_the_old_file_and_leaves_no_other(tmp_path: Path) -> None:
    target = tmp_path / "f"
    save_file(target, b"old")
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", WRITER, target], env={**os.environ, "PYTHONPATH": path}, capture_output=True
    )
    assert b"File too large" in done.stderr
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_lines_of_many_writers_do_not_mix(tmp_path: Path) -> None:
    target = tmp_path / "lines"
    for letter in "abc":
        append_line(target, letter * 50)
    assert target.read_text().splitlines() == ["a" * 50, "b" * 50, "c" * 50]


def test_errors_are_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        save_file(tmp_path / "absent" / "f", b"")


def test_a_file_that_need_not_outlive_a_power_cut_is_replaced_whole_too(tmp_path: Path) -> None:
    target = tmp_path / "a"
    save_file(target, b"old", durable=False)
    with target.open("rb") as reader:
        save_file(target, b"newer", durable=False)
        assert (reader.read(), target.read_bytes()) == (b"old", b"newer")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_room_that_is_reserved_shows_nowhere_until_it_is_used(tmp_path: Path) -> None:
    target = tmp_path / "lines"
    for _ in range(2):
        reserve_room(target, 64 << 10)
        append_line(target, "a line")
    assert target.read_bytes() == b"a line\n" * 2


@pytest.mark.real
def test_a_full_disk_takes_what_room_was_reserved_for_and_not_a_byte_more(tmp_path: Path) -> None:
    line = "x" * 4095
    with a_small_disk(tmp_path, "size=1m") as disk:
        reserve_room(disk / "lines", 64 << 10)
        fill(disk)
        for _ in range(16):
            append_line(disk / "lines", line)
        with pytest.raises(OSError, match="No space"):
            append_line(disk / "lines", line)
        with pytest.raises(OSError, match="No space"):
            reserve_room(disk / "lines", 64 << 10)

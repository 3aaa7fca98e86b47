"""Output is kept whole: every byte once, in order, over rotations, time-stamped, lost only with a notice."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from l2_scheduler.local.logs import Piece, read_log, stamp
from l2_scheduler.local.shim.logs import TaskLog


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    before = Path.cwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


def joined(pieces) -> bytes:
    return b"".join(piece.data for piece in pieces)


def test_rotation_keeps_the_newest_and_their_offsets(here):
    log = TaskLog(0, rotate_bytes=10, keep=2, at=0.0)
    for line in range(8):
        log.write(b"line %d\n" % line, 100.0 + line)
    log.close(200.0)
    assert sorted(path.name for path in here.glob("*.log*")) == ["task-0.log", "task-0.log.1", "task-0.log.2"]
    pieces = list(read_log(here, 0, timestamps=True))
    assert [(piece.offset, piece.at) for piece in pieces if piece.data.startswith(b"line")][-1] == (49, 107.0)
    assert joined(pieces).endswith(b"line 6\nline 7\n")
    assert pieces[0].offset + len(joined(pieces)) == 56


def test_keep_nothing_but_the_newest(here):
    log = TaskLog(0, rotate_bytes=8, keep=0, at=0.0)
    log.write(b"1234567\nabcdefg\nend", 1.0)
    log.close(1.0)
    assert [path.name for path in here.glob("*.log*")] == ["task-0.log"]
    assert list(read_log(here, 0)) == [Piece(offset=16, data=b"end", at=None)]


def test_files_end_where_lines_end(here):
    log = TaskLog(0, rotate_bytes=16, keep=9, at=0.0)
    log.write(b"first line\nsecond line\nthird\n", 1.0)
    log.close(1.0)
    assert (here / "task-0.log.2").read_bytes() == b"first line\n"
    assert (here / "task-0.log.1").read_bytes() == b"second line\n"


@settings(deadline=None)
@given(
    chunks=st.lists(st.binary(max_size=30) | st.sampled_from([b"\n", b"ab\ncd\n"]), max_size=12),
    rotate=st.integers(5, 50),
    start=st.integers(0, 300),
)
def test_everything_is_read_back_from_any_offset(chunks, rotate, start):
    with tempfile.TemporaryDirectory() as place:
        before = Path.cwd()
        os.chdir(place)
        try:
            log = TaskLog(3, rotate_bytes=rotate, keep=200, at=0.0)
            for number, chunk in enumerate(chunks):
                log.write(chunk, float(number))
            log.close(99.0)
        finally:
            os.chdir(before)
        whole = b"".join(chunks)
        assert joined(read_log(Path(place), 3, from_offset=start)) == whole[start:]
        stamped = list(read_log(Path(place), 3, timestamps=True))
        assert joined(stamped) == whole
        assert [piece.at for piece in stamped] == [float(chunk_of(chunks, piece.offset)) for piece in stamped]


def chunk_of(chunks: list[bytes], offset: int) -> int:
    end = 0
    for number, chunk in enumerate(chunks):
        end += len(chunk)
        if offset < end:
            return number
    raise AssertionError(offset)


@pytest.mark.parametrize("kill_before", range(10))
def test_history_survives_a_shim_killed_during_a_rotation(here, kill_before):
    """Replay the renames of a rotation up to each step; the child stops dead there."""
    script = (
        "import os, sys\n"
        "from l2_scheduler.local.shim.logs import TaskLog\n"
        "log = TaskLog(0, rotate_bytes=6, keep=9, at=0.0)\n"
        "log.write(b'aaaaa\\nbbbbb\\nccccc\\n', 1.0)\n"
        "left = int(sys.argv[1])\n"
        "def hook(event, args):\n"
        "    global left\n"
        "    if event == 'os.rename':\n"
        "        left -= 1\n"
        "        if left < 0: os._exit(0)\n"
        "sys.addaudithook(hook)\n"
        "log.write(b'ddddd\\n', 2.0)\n"
    )
    root = str(Path(__file__).parents[4])
    subprocess.run(
        [sys.executable, "-c", script, str(kill_before)], env={**os.environ, "PYTHONPATH": root}, check=True
    )
    pieces = list(read_log(here, 0))
    assert joined(pieces).removesuffix(b"ddddd\n") == b"aaaaa\nbbbbb\nccccc\n"
    assert [piece.offset for piece in pieces][:3] == [0, 6, 12]


def test_stamps_stand_before_whole_lines_only():
    pieces = [
        Piece(offset=0, data=b"half", at=0.25),
        Piece(offset=4, data=b" line\n", at=0.5),
        Piece(offset=10, data=b"next\n", at=86400.0),
    ]
    assert b"".join(stamp(pieces)) == b"1970-01-01T00:00:00.250Z half line\n1970-01-02T00:00:00.000Z next\n"


def test_time_stamps_of_a_real_task(attempt):
    job = attempt("sh", "-c", "echo one; sleep 0.3; echo two")
    job.run()
    one, two = read_log(job.directory, 0, timestamps=True)
    assert (one.data, two.data) == (b"one\n", b"two\n")
    assert two.at - one.at > 0.25


def test_follower_sees_every_byte_once_across_rotations(attempt):
    script = "for i in $(seq 4000); do echo line $i; done"
    job = attempt("sh", "-c", script, rotate_bytes=4096, keep_logs=50)
    job.start()
    pieces: list[Piece] = []
    over = False
    while not over:
        over = (job.directory / "exit.json").exists()
        pieces += read_log(job.directory, 0, from_offset=pieces[-1].end if pieces else 0)
    assert joined(pieces) == b"".join(b"line %d\n" % number for number in range(1, 4001))
    assert len(list(job.directory.glob("task-0.log.*"))) >= 8


def test_nothing_yet(tmp_path):
    assert list(read_log(tmp_path, 0)) == []


def test_large_output_is_whole_and_does_not_starve_the_other_task(attempt):
    script = "if [ $OGAI_RANK = 0 ]; then head -c 100000000 /dev/zero; else echo small; fi"
    job = attempt("sh", "-c", script, tasks=2, rotate_bytes=40_000_000)
    assert job.run()["state"] == "COMPLETED"
    assert sum(len(piece.data) for piece in read_log(job.directory, 0)) == 100_000_000
    assert job.log(1) == "small\n"


def test_flood_does_not_keep_orders_out(attempt):
    job = attempt("yes", rotate_bytes=1 << 20, keep_logs=1)
    job.start()
    job.until_log("y\n")
    job.say("end CANCELLED by user root")
    assert job.outcome()["state"] == "CANCELLED"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a tmpfs of one mebibyte."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("mounting a tmpfs is not permitted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.real
def test_full_disk_loses_output_but_neither_job_nor_outcome(attempt, small_disk):
    script = "head -c 3000000 /dev/zero; echo done; sleep 0.3; test -e $OGAI_JOB_DIR/1/shim.json && exit 7"
    job = attempt("sh", "-c", script, home=small_disk)
    outcome = job.run()
    assert (outcome["state"], outcome["exit_code"]) == ("FAILED", 7)
    kept = len(joined(read_log(job.directory, 0)))
    assert outcome["lost_log_bytes"] + kept == 3_000_005
    assert outcome["reason"].endswith(f"; {outcome['lost_log_bytes']} bytes of output were lost")
    assert 500_000 < kept < 1 << 20


@pytest.mark.real
@pytest.mark.parametrize("said", ["back", ""])
def test_lost_bytes_are_told_when_there_is_room_again(attempt, small_disk, said):
    filler = small_disk / "filler"
    fill = f"head -c 4096 /dev/zero; head -c 1500000 /dev/zero >{filler} 2>/dev/null"
    last = f"echo {said}" if said else "true"
    job = attempt("sh", "-c", f"{fill}; echo lost; sleep 0.2; rm {filler}; {last}", home=small_disk)
    outcome = job.run()
    assert outcome["state"] == "COMPLETED"
    text = joined(read_log(job.directory, 0)).decode().lstrip("\0")
    found = re.search(r"\[ogai: (\d+) bytes of output lost: disk full\]\n(.*)$", text, re.DOTALL)
    assert found, text
    assert int(found[1]) == outcome["lost_log_bytes"] > 0
    assert found[2].strip() == said


@pytest.mark.real
def test_no_room_at_all_claims_nothing(attempt, small_disk):
    job = attempt("true", home=small_disk)
    with pytest.raises(OSError), (small_disk / "filler").open("wb") as file:
        file.write(b"x" * (2 << 20))
    assert job.start().wait(10) == 75
    assert not (job.directory / "shim.json").exists()
    (small_disk / "filler").unlink()
    assert job.run()["state"] == "COMPLETED"

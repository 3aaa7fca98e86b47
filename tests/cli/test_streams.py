"""Streams that are closed, full or of a small encoding, and words and folders that no document can hold."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

OURS = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
SHELL = "exec {python} -m ogai {words}"


def ogai(words: str, home: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command line through a shell, so that it can close or redirect what it likes."""
    return subprocess.run(
        ["/bin/sh", "-c", SHELL.format(python=sys.executable, words=words)],
        capture_output=True,
        env={**OURS, "OGAI_HOME": str(home), "OGAI_LEDGER": str(home / "ledger"), **environment},
        check=False,
    )


@pytest.mark.parametrize("words", ["schema list >&-", "schema list <&- >&- 2>&-", "job top --once >&-"])
def test_a_closed_stream_is_one_nobody_reads(words: str, tmp_path: Path) -> None:
    done = ogai(words, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("words", ["schema list", "schema example job", "job top --once"])
def test_a_full_disk_behind_stdout_is_told(words: str, tmp_path: Path) -> None:
    done = ogai(words + " >/dev/full", tmp_path)
    assert done.returncode == 5
    assert done.stderr.startswith(b"error: this machine: found No space left on device; expected")


def test_a_full_disk_behind_stderr_keeps_the_exit_code(tmp_path: Path) -> None:
    assert ogai("job show 1 2>/dev/full", tmp_path).returncode == 2


def test_characters_an_encoding_lacks_are_escaped(tmp_path: Path) -> None:
    done = ogai("job top --once", tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"\\u2591" in done.stdout


def test_a_word_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    done = ogai(r"job show $(printf '\377')", tmp_path)
    assert done.returncode == 2
    assert b"which is not UTF-8" in done.stderr


def test_a_home_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    done = ogai("job list", tmp_path / os.fsdecode(b"\xff"))
    assert done.returncode == 5
    assert b"a name that is not UTF-8" in done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be nobody known")
def test_a_user_nobody_knows_is_told(tmp_path: Path) -> None:
    program = (
        "import os; from l0_infra.core.store import ogai_home\nimport platformdirs, pathlib\n"
        "from l0_infra.core.errors import EngineError\nos.setuid(54321)\n"
        "for chosen in ('', '~/x'):\n"
        "    try: ogai_home({'OGAI_HOME': chosen})\n"
        "    except EngineError as error: print(error)"
    )
    environment = {name: value for name, value in OURS.items() if name not in ("HOME", "XDG_DATA_HOME")}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=False)
    assert done.stdout.count(b"a user without a home folder") == 2, done.stderr


def test_a_word_too_long_for_a_file_is_told(tmp_path: Path) -> None:
    done = ogai("job submit " + "a" * 5000, tmp_path)
    assert done.returncode == 2
    assert b"a file that can be read" in done.stderr


def test_a_removed_folder_is_told(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        [
            "/bin/sh",
            "-c",
            f"rmdir ../gone; {SHELL.format(python=sys.executable, words='job submit -- true')}",
        ],
        cwd=gone,
        env={**OURS, "OGAI_HOME": str(tmp_path / "home")},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"the current folder, which was removed" in done.stderr

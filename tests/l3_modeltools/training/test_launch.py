"""What became of the ranks is one sentence and one exit code."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

RANKS = "import os, signal, sys, time\nrank = os.environ['RANK']\nopen(f'{rank}.up', 'w').close()\n"


def start(folder: Path, then: str) -> subprocess.Popen[str]:
    (folder / "ranks.py").write_text(RANKS + then)
    words = ["--standalone", "--nproc-per-node=2", "--max-restarts=0", "ranks.py"]
    return subprocess.Popen(
        [sys.executable, "-m", "l3_modeltools.training.launch", *words],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("then", "code", "said"),
    [
        ("sys.exit(6 if rank == '1' else time.sleep(60))", 6, "ended with exit code 6"),
        (
            "os.kill(os.getpid(), signal.SIGKILL) if rank == '1' else time.sleep(60)",
            137,
            "was ended by SIGKILL",
        ),
    ],
)
def test_a_rank_that_fails_is_told_in_one_line(tmp_path: Path, then: str, code: int, said: str) -> None:
    process = start(tmp_path, then)
    _, err = process.communicate(timeout=120)
    assert process.returncode == code
    (line,) = err.splitlines()
    assert line.startswith("rank 1 (pid ") and line.endswith(said)


def test_a_told_end_is_no_trouble(tmp_path: Path) -> None:
    process = start(tmp_path, "time.sleep(60)")
    while not all((tmp_path / f"{rank}.up").exists() for rank in (0, 1)):
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (143, "")

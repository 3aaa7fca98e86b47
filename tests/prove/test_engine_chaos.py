"""A short run of the engine proof, the same events each time; `make prove` runs the long one."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).with_name("run.py")


@pytest.mark.real
def test_the_engine_survives_random_events(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    command = [
        sys.executable,
        RUN,
        "--only",
        "engine",
        "--rounds",
        "30",
        "--seed",
        "25",
        "--summary",
        summary,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| every job has one final state |" in summary.read_text()

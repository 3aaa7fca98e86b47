"""A short run of the proof of resilience: one run of a small model meets several faults, and loses nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).with_name("run.py")
KINDS = "kill,hang,nan,bad-batch,disk,corrupt"


@pytest.mark.real
def test_a_drilled_run_equals_one_left_alone(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    command = [sys.executable, RUN, "--only", "resilience", "--small", "--kinds", KINDS, "--drills", "0"]
    command += ["--quiet-minutes", "0", "--seed", "11", "--summary", summary]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    said = summary.read_text()
    assert "| a step's loss and gradient norm are those of the run left alone |" in said
    clock = "| no time of a run is lost or added where its clock is set | 1 |"
    assert clock in said or "- clock jump: skipped, needs libfaketime" in said

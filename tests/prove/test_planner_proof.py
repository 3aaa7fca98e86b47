"""A short run of the planner's proof: laws, searches, wrong inputs and a kill of each command that writes."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).with_name("run.py")


@pytest.mark.real
def test_the_planner_keeps_its_laws(tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="needs scipy")
    summary = tmp_path / "summary.md"
    command = [sys.executable, RUN, "--only", "planner", "--small", "--examples", "20", "--seed", "41"]
    done = subprocess.run([*command, "--summary", summary], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    said = summary.read_text()
    assert "| a better machine is never slower | 20 |" in said
    assert "| the search finds the best of all strategies that it offers | 5 |" in said
    assert "| `strategy search` killed: the old file or the new one, and it works again | 1 |" in said

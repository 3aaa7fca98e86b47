"""The benchmark of checkpoints runs to its end with a small model."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.real


def test_every_figure_is_printed() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "checkpoint.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = ("the loop is held up", "torch.save with fsync", "held up ÷ torch.save", "a step beside a save")
    assert [row for row in rows if row not in done.stdout] == []

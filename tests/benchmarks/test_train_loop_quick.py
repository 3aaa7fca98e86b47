"""The trainer's benchmark runs to its end, in its small form."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.real


def test_every_way_is_measured() -> None:
    pytest.importorskip("accelerate", reason="the extra `bench` is not installed")
    command = [sys.executable, str(ROOT / "benchmarks" / "train_loop.py"), "--quick", "--length", "64"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = ("ogai", "bare PyTorch loop", "bare, memory kept", "Hugging Face Trainer")
    assert [row for row in rows if f"  {row} " not in done.stdout] == []

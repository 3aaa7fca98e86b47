"""The data benchmarks run to their end in a small form; a small prepare keeps its bound of memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}", "HF_HUB_OFFLINE": "1"}

pytestmark = pytest.mark.real


def run(*words: str) -> str:
    command = [sys.executable, *words]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env=ENVIRONMENT, cwd=ROOT / "benchmarks"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_both_comparisons_are_printed() -> None:
    pytest.importorskip("datasets")
    printed = run("data.py", "--quick")
    rows = ("ogai data prepare", "datasets.map", "ratio", "loader,", "memory map by hand")
    assert [row for row in rows if row not in printed] == []


def test_memory_is_bounded_by_parts_and_not_by_the_text() -> None:
    """40 MB of text; its window of 1 MiB, not its size, is what the bound follows from."""
    assert "within 400 MB" in run("prepare_memory.py", "--mb", "40", "--target-mb", "400")

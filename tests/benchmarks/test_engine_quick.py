"""The engine's benchmark runs to its end, with small numbers, whatever tools are there to compare with."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.real


def test_every_table_is_printed() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "engine.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = ("ogai job submit -- X", "ogai, array of 50", "ogai, one array", "cancel them all")
    assert [row for row in rows if row not in done.stdout] == []

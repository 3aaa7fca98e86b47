"""The benchmarks of recovery and supervision run to their end, in their small form."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.real


@pytest.mark.parametrize(
    ("script", "rows"),
    [
        ("recovery.py", ("kill",)),
        ("supervision.py", ("without supervision", "with supervision")),
    ],
)
def test_every_way_is_measured(script: str, rows: tuple[str, ...]) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / script), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    assert [row for row in rows if f"  {row} " not in done.stdout] == [], done.stdout

"""The array example works, twice, and counts what is really there."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.world import processes_of

DEMO = Path(__file__).parents[1] / "examples" / "wordcount"
OGAI = Path(sys.executable).with_name("ogai")

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not OGAI.exists(), reason="the command ogai is not installed beside this Python"),
]


def test_the_demo_counts_the_standard_library(tmp_path: Path) -> None:
    folder = tmp_path / "wordcount"
    shutil.copytree(DEMO, folder, ignore=shutil.ignore_patterns("results"))
    environment = {**os.environ, "OGAI_HOME": str(tmp_path / "home"), "OGAI_LEDGER": str(tmp_path / "ledger")}
    command = [sys.executable, str(folder / "demo.py")]
    outputs = [
        subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
        for _ in range(2)
    ]
    subprocess.run([OGAI, "agent", "stop"], env=environment, check=True)
    parts = [json.loads(path.read_text()) for path in sorted((folder / "results").glob("part-*.json"))]
    total = sum(sum(part["words"].values()) for part in parts)
    assert len(parts) == 8
    assert total > 100_000
    assert all(f"{total:,} words" in output for output in outputs)
    assert processes_of(tmp_path) == []

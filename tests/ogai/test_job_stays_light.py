"""A command about jobs knows nothing of models, so it does not wait for their declarations."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "words", [["submit", "--dry-run", "--", "true"], ["list"]], ids=lambda words: words[0]
)
def test_a_job_command_loads_no_upper_layer(tmp_path: Path, words: list[str]) -> None:
    environment = os.environ | {
        "OGAI_HOME": str(tmp_path / "home"),
        "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}",
    }
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ogai", "job", *words],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=60,
    )
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines() if "|" in line}
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert "l2_scheduler.schemas.job" in loaded
    assert not [name for name in loaded if name.startswith(("l3_modeltools", "l4_multimodel"))]

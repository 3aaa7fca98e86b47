"""What `make demo` runs works on what the machine has; its whole length is among the proofs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.world import processes_of

DEMO = Path(__file__).parents[1] / "examples" / "tiny_llama"
OGAI = Path(sys.executable).with_name("ogai")
SHORT = (
    "steps=24",
    "validation.every_steps=12",
    "checkpoint.every_steps=12",
    "optimizer.schedule.warmup_steps=4",
)

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not OGAI.exists(), reason="the command ogai is not installed beside this Python"),
]


def test_the_demo_trains_on_the_standard_library(tmp_path: Path) -> None:
    folder = tmp_path / "tiny_llama"
    shutil.copytree(DEMO, folder)
    environment = {**os.environ, "OGAI_HOME": str(tmp_path / "home"), "OGAI_LEDGER": str(tmp_path / "ledger")}
    settings = [word for setting in SHORT for word in ("--set", setting)]
    command = [sys.executable, str(folder / "demo.py"), *settings]
    said = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    subprocess.run([OGAI, "agent", "stop"], env=environment, check=True)
    entropy, loss = (
        float(re.search(rf"{name}: ([0-9.]+) nats", said)[1])  # type: ignore[index]
        for name in ("unigram entropy", "validation loss")
    )
    assert 5 < entropy < 8
    assert 5 < loss < 8.3  # ln 4096 is 8.32: it has begun to learn
    assert re.search(r"tiny-llama-1 +COMPLETED +24/24", said)
    assert (tmp_path / "home" / "runs" / "tiny-llama-1" / "outcome.json").exists()
    assert processes_of(tmp_path) == []

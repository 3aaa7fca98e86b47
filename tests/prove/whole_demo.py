"""The demo at its whole length: what a newcomer sees must have learnt, and in the time that README says."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.support.world import processes_of

ROOT = Path(__file__).parents[2]
OGAI = Path(sys.executable).with_name("ogai")
LONGEST_S = 360


def test_the_demo_learns_more_than_counting(tmp_path: Path) -> None:
    environment = {**os.environ, "OGAI_HOME": str(tmp_path / "home"), "OGAI_LEDGER": str(tmp_path / "ledger")}
    command = [sys.executable, str(ROOT / "examples" / "tiny_llama" / "demo.py")]
    begun = time.monotonic()
    said = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    seconds = time.monotonic() - begun
    listed = subprocess.run(
        [OGAI, "train", "list", "-o", "json"], env=environment, capture_output=True, text=True
    )
    subprocess.run([OGAI, "agent", "stop"], env=environment, check=True)
    (run,) = json.loads(listed.stdout)
    assert run["state"] == "COMPLETED"
    assert run["figures"]["tokens"] >= 500_000
    entropy, loss = (
        float(re.search(rf"^{name}: ([0-9.]+) nats$", said, re.MULTILINE)[1])  # type: ignore[index]
        for name in ("unigram entropy", "validation loss")
    )
    assert loss <= entropy - 1.5
    assert "def read_lines(path):" in said and "run directory: " in said
    assert seconds <= LONGEST_S
    assert processes_of(tmp_path) == []

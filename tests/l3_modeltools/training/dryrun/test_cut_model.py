"""The model cut over two ranks computes what the whole one does: real processes, real exchanges."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cut_ranks import CUT_FAMILIES, CUTS, told_name

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[4]
TIMEOUT_S = 300


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What both ranks wrote of all cuts."""
    folder = tmp_path_factory.mktemp("cut-ranks")
    argv = [sys.executable, "-m", "tests.support.cut_ranks"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ranks = [
        subprocess.Popen([*argv, str(rank), str(folder)], cwd=ROOT, env=environment) for rank in range(2)
    ]
    try:
        assert [rank.wait(TIMEOUT_S) for rank in ranks] == [0, 0]
    finally:
        for rank in ranks:
            rank.kill()
    return folder


@pytest.mark.parametrize("family", CUT_FAMILIES)
@pytest.mark.parametrize("name", CUTS)
def test_a_cut_model_computes_what_the_whole_one_does(name: str, family: str, told: Path) -> None:
    for rank in range(2):
        found = json.loads((told / told_name(name, family, rank)).read_text())
        for loss, error in found["told"]:
            assert loss == pytest.approx(found["expected"], rel=1e-5)
            assert error < 1e-4

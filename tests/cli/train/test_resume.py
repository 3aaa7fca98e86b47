"""A run is taken up again by one job at a time: two that train in one directory would write over each other."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from l0_infra.core.errors import UsageError
from ogai.flows import train as flow
from tests.cli.train.conftest import Ogai

pytestmark = pytest.mark.real

OWN = """\
kind: train
name: own
framework: command
command: {argv: [sleep, "60"]}
"""


def is_resumed(run_id: str) -> bool:
    try:
        flow.resume(run_id)
    except UsageError:
        return False
    return True


def test_of_many_who_resume_a_run_at_once_one_does(ogai: Ogai) -> None:
    Path("own.yaml").write_text(OWN)
    assert ogai("train", "submit", "own.yaml").code == 0
    assert ogai("train", "stop", "own-1").code == 0
    assert flow.wait("own-1", timeout_s=60).state == "CANCELLED"
    with ThreadPoolExecutor(4) as pool:
        resumed = list(pool.map(is_resumed, ["own-1"] * 4))
    assert resumed.count(True) == 1
    assert len(flow.find("own-1").job_ids) == 2

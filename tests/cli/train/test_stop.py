"""`ogai train stop` stays until the run has ended and says so; who follows the run hears of a wish, not of an error."""

import os
import sys
from pathlib import Path

import pytest

from tests.cli.train.conftest import Ogai
from tests.support.terminals import at_terminal
from tests.support.world import eventually

pytestmark = pytest.mark.real

TRAINER = """\
import signal, time
print("begun", flush=True)
signal.signal(signal.SIGTERM, lambda number, frame: (time.sleep(0.5), exit(0)))
while True:
    time.sleep(0.1)
"""
DOCUMENT = f"""\
kind: train
name: own
framework: command
command: {{argv: [{sys.executable}, trainer.py], directory: .}}
"""


@pytest.fixture
def run(ogai: Ogai) -> str:
    """Submit a trainer that takes half a second to end; return its run."""
    Path("trainer.py").write_text(TRAINER)
    Path("train.yaml").write_text(DOCUMENT)
    assert ogai("train", "submit", "train.yaml").code == 0
    eventually(lambda: ogai("train", "logs", "own").out == "begun\n")
    return "own-1"


def test_it_says_what_it_waits_for_and_what_to_type_next(ogai: Ogai, run: str) -> None:
    said = ogai("train", "stop", "own")
    assert (said.code, said.out) == (0, "")
    first, *_, end, following = said.err.splitlines()
    assert first == "own-1: waits for its processes to end"
    assert end.startswith("run own-1: stopped after step 0 by ") and end.endswith("; it had done no step")
    assert following == "next: ogai train resume own-1"
    assert ogai("train", "stop", "own").code == 2, "it has ended"


def test_who_follows_it_hears_of_the_wish(ogai: Ogai, run: str) -> None:
    said = ogai("train", "stop", "--no-wait", run)
    assert said.code == 0 and "ogai train watch own-1" in said.err
    followed = ogai("train", "logs", "-f", run)
    assert (followed.code, followed.out) == (130, "begun\n")
    assert (
        followed.err.startswith("run own-1: stopped after step 0 by ") and ", as was wished" in followed.err
    )
    assert "error" not in followed.err and "ogai train resume own-1" in followed.err


def test_one_that_only_waits_is_taken_out_at_once(ogai: Ogai, run: str) -> None:
    Path("train.yaml").write_text(f"{DOCUMENT}resources: {{cpus_per_task: {os.cpu_count()}}}\n")
    assert ogai("train", "submit", "train.yaml").code == 0
    assert "PENDING" in ogai("train", "show", "own-2").out
    said = ogai("train", "stop", "own-2")
    assert said.code == 0 and "it had done no step" in said.err


def test_stopping_at_a_terminal_shows_how_far_it_is(
    ogai: Ogai, run: str, environment: dict[str, str]
) -> None:
    with at_terminal(environment, "train", "stop", run) as terminal:
        assert terminal.end() == 0
    assert "waits for its processes to end" in terminal.seen and "of at most" in terminal.seen
    assert "next: ogai train resume own-1" in terminal.seen

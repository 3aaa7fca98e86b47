"""A run is watched on a terminal: left with a key it goes on, ended it leaves a last picture; a pipe gets the log."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from l3_modeltools.runs import Mark, append_mark, report_fault, save_ranks
from tests.cli.train.conftest import Ogai
from tests.support.scenes import a_fault, slow_ranks
from tests.support.terminals import at_terminal
from tests.support.world import eventually

pytestmark = pytest.mark.real

TRAINER = """\
import json, os, pathlib, time
with open(os.environ["OGAI_METRICS"], "a") as metrics:
    for step in range(1, 31):
        line = {"step": step, "at": time.time(), "loss": 5 - step / 10, "lr": 0.001, "tokens_per_s": 100}
        metrics.write(json.dumps(line) + chr(10))
print("thirty steps", flush=True)
while not pathlib.Path("go").exists():
    time.sleep(0.02)
raise SystemExit(int(pathlib.Path("go").read_text()))
"""
DOCUMENT = f"""\
kind: train
name: own
framework: command
command: {{argv: [{sys.executable}, trainer.py], directory: .}}
steps: 30
resilience: {{max_restarts: 0}}
"""


@pytest.fixture
def run(ogai: Ogai) -> str:
    """Submit a trainer that does thirty steps and then waits for the file `go`; return its run."""
    Path("trainer.py").write_text(TRAINER)
    Path("train.yaml").write_text(DOCUMENT)
    said = ogai("train", "submit", "train.yaml")
    assert said.code == 0, said.err
    assert "next: ogai train watch own-1" in said.err
    eventually(lambda: "30/30" in ogai("train", "list").out)
    return said.out.strip()


@pytest.mark.parametrize(("keys", "code"), [("q", 0), ("\x04", 0), ("", 130)])
def test_leaving_leaves_the_run(
    ogai: Ogai, run: str, environment: dict[str, str], keys: str, code: int
) -> None:
    with at_terminal(environment, "train", "watch", run) as terminal:
        terminal.until("leave, the run goes on")
        assert "step 30 of 30" in terminal.seen
        if keys:
            terminal.type(keys)
        else:
            terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == code
    assert terminal.seen.count("\x1b[?1049h") == terminal.seen.count("\x1b[?1049l") == 1
    assert "goes on without you; come back: ogai train watch own-1" in terminal.after.replace("\n", "")
    assert "RUNNING" in ogai("train", "list").out


def test_keys_turn_the_picture(run: str, environment: dict[str, str]) -> None:
    with at_terminal(environment, "train", "watch", run) as terminal:
        terminal.until("last tenth")
        terminal.type("z")
        terminal.until("whole run")
        terminal.type("lt")
        terminal.until("thirty steps")
        assert ", log scale" in terminal.seen and "linear" in terminal.seen
        terminal.type("q")
        assert terminal.end() == 0


def test_a_run_that_ends_well_leaves_a_last_picture(run: str, environment: dict[str, str]) -> None:
    with at_terminal(environment, "train", "watch", run) as terminal:
        terminal.until("leave, the run goes on")
        Path("go").write_text("0")
        assert terminal.end() == 0
    picture = terminal.after
    assert picture.startswith("\x1b[?25h")
    assert "own-1  COMPLETED" in picture and "100%  step 30 of 30" in picture and "└" in picture
    assert "run own-1: COMPLETED: 30 steps" in picture and "next: ogai train show own-1" in picture
    assert picture.count("\n") <= 24


def test_a_run_that_fails_shows_its_last_lines_and_ends_so(run: str, environment: dict[str, str]) -> None:
    with at_terminal(environment, "train", "watch", run) as terminal:
        terminal.until("leave, the run goes on")
        Path("go").write_text("3")
        assert terminal.end() == 6
    picture = terminal.after
    assert "own-1  FAILED" in picture and "thirty steps" in picture
    assert "ogai train resume own-1" in picture.replace("\n", "")


def test_a_run_that_is_stopped_ends_so_and_is_no_error(
    ogai: Ogai, run: str, environment: dict[str, str]
) -> None:
    with at_terminal(environment, "train", "watch", run) as terminal:
        terminal.until("leave, the run goes on")
        assert ogai("train", "stop", run).code == 0
        assert terminal.end() == 130
    picture = terminal.after.replace("\n", "")
    assert "own-1  CANCELLED" in picture and ", as was wished" in picture and "error" not in picture


def test_submitting_and_staying_is_the_view_on_a_terminal(ogai: Ogai, environment: dict[str, str]) -> None:
    Path("trainer.py").write_text(TRAINER)
    Path("train.yaml").write_text(DOCUMENT)
    Path("go").write_text("0")
    with at_terminal(environment, "train", "submit", "-f", "train.yaml") as terminal:
        assert terminal.end() == 0
    assert "own-1  COMPLETED" in terminal.after


def test_a_pipe_gets_the_log_and_a_picture_gets_no_colour(ogai: Ogai, run: str) -> None:
    picture = ogai("train", "watch", run)
    assert picture.code == 0 and "\x1b" not in picture.out
    assert picture.out.startswith("own-1  RUNNING") and "step 30 of 30" in picture.out
    assert ogai("train", "watch", run, "--once").code == 0
    Path("go").write_text("3")
    failed = ogai("train", "logs", "-f", run)
    assert failed.code == 6 and failed.out == "thirty steps\n"
    Path("go").write_text("0")
    resumed = ogai("train", "resume", "-f", run)
    assert resumed.code == 0, resumed.err
    assert resumed.out == "thirty steps\nthirty steps\n" and "COMPLETED" in resumed.err


def test_a_dumb_terminal_gets_the_log(ogai: Ogai, run: str, environment: dict[str, str]) -> None:
    Path("go").write_text("3")
    assert ogai("train", "logs", "-f", run).code == 6
    Path("go").write_text("0")
    dumb = {**environment, "TERM": "dumb"}
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "ogai", "train", "resume", "-f", run],
        env=dumb, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, timeout=60, check=False,
    )  # fmt: skip
    os.close(theirs)
    said = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.returncode == 0
    assert "thirty steps" in said and "\x1b[?1049h" not in said


def test_a_run_that_is_not_there_is_refused(ogai: Ogai, home: Path) -> None:
    said = ogai("train", "watch", "nobody")
    assert said.code == 2 and "nobody" in said.err


def test_what_the_supervisor_tells_is_on_the_picture(ogai: Ogai, run: str, home: Path) -> None:
    directory, now = home / "runs" / run, time.time()
    fault = report_fault(directory, a_fault(1, step=12, at=now - 20, run=run, redone_steps=2))
    append_mark(directory, Mark(at=now - 30, mark="supervised"))
    append_mark(directory, Mark(at=now - 19, mark="spawned", fault_id=fault.fault_id))
    save_ranks(directory, slow_ranks(4, slowest=2, at=now))
    picture = ogai("train", "watch", run, "--once").out
    assert "last fault  killed in step 12, 2" in picture
    assert "ranks started again; cost 4.1s, 2 steps done again" in picture
    assert "restarts    1 of 0 within 1d" in picture
    assert re.search(r"rank 2  █+ +800ms, 2.0 times", picture)
    assert "▲" in picture

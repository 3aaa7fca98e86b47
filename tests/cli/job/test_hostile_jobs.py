"""Jobs that turn against their engine end once, as what they were, and harm no other job."""

import time
from pathlib import Path

import pytest

from tests.cli.job.conftest import Ogai

FORGED = (
    r'{"state":"%s","reason":"mine","exit_code":0,"signal":null,"started_at":1,"ended_at":2,"elapsed_s":1}'
)
HERE = 'cd "$OGAI_JOB_DIR"; '


@pytest.mark.parametrize("state", ["COMPLETED", "PENDING", "RUNNING"])
def test_a_job_cannot_write_its_own_outcome(ogai: Ogai, state: str) -> None:
    forgery = f"{HERE} echo '{FORGED % state}' > 1/exit.json; echo x >> runs; sleep 0.5; exit 3"
    said = ogai("job", "submit", "--wait", "--", "bash", "-c", forgery)
    assert said.code == 6
    assert "FAILED (task 0 ended with exit code 3)" in said.err


@pytest.mark.parametrize(
    ("trick", "end"),
    [
        ("rm events.jsonl; mkfifo events.jsonl; exit 3", "FAILED"),
        ("mkfifo 1/exit.json; exit 3", "FAILED"),
        ("mkdir 1/exit.json; exit 3", "NODE_FAIL"),
        ("rm 1/launch.json; mkfifo 1/launch.json; kill -9 $PPID; sleep 60", "NODE_FAIL"),
        ("sleep 1.2; rm 1/processes.json; mkfifo 1/processes.json; kill -9 $PPID; sleep 60", "NODE_FAIL"),
        ("rm 1/shim.json; mkfifo 1/shim.json; kill -9 $PPID; sleep 60", "NODE_FAIL"),
        ("rm 1/lock; mkdir 1/lock; sleep 60", "NODE_FAIL"),
    ],
)
def test_an_agent_outlives_any_trick(ogai: Ogai, trick: str, end: str) -> None:
    said = ogai("job", "submit", "--wait", "--", "bash", "-c", HERE + trick)
    assert (said.code, end in said.err) == (6, True), said.err
    assert ogai("job", "submit", "--wait", "--", "true").code == 0
    assert ogai("job", "show", "1").code == 0


def test_what_a_job_says_of_itself_steers_no_terminal(ogai: Ogai) -> None:
    lines = (
        r'{"at":1e300,"event":"x"}\n{"at":-1e18,"event":"x"}\n'
        r'{"at":1,"event":"\\u001b[31mred","a\\u0007":"\\u202eb"}\n'
    )
    said = ogai("job", "submit", "--wait", "--", "printf \x1b[2J")
    assert said.code == 2
    assert "\x1b" not in said.err
    job = f"{HERE} printf '{lines}' >> events.jsonl; : $'\x1b[2J'"
    assert ogai("job", "submit", "--wait", "--", "bash", "-c", job).code == 0
    shown = ogai("job", "show", "1").out
    assert "\\x1b[31mred" in shown
    assert "\\u202e" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_a_job_that_stopped_its_shim_is_cancelled(ogai: Ogai) -> None:
    job = "kill -STOP $PPID; echo stopped; sleep 60"
    assert ogai("job", "submit", "--", "bash", "-c", f"touch begun; {job}").code == 0
    for _ in range(200):
        if Path("begun").exists():
            break
        time.sleep(0.05)
    assert ogai("job", "cancel", "--now", "1").code == 0
    said = ogai("job", "wait", "1", "--timeout", "20")
    assert (said.code, "CANCELLED" in said.err) == (6, True), said.err

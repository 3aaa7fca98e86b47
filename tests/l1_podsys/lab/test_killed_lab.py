"""`ogai lab up` and `down` killed at any moment: the next `down` leaves nothing, the next `up` finishes."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ogai
from tests.support.labs import leavings

pytestmark = pytest.mark.real

KILLS = int(os.environ.get("PROVE_KILLS", "2"))
NODES = 2


def command(verb: str, name: str, home: Path) -> list[str]:
    up = ["--nodes", str(NODES), "--output", str(home / "lab.yaml"), "--name"] if verb == "up" else []
    return [sys.executable, "-m", "ogai", "lab", verb, *up, name]


def took(verb: str, name: str, home: Path) -> float:
    begun = time.monotonic()
    subprocess.run(command(verb, name, home), check=True, capture_output=True)
    return time.monotonic() - begun


def killed(verb: str, name: str, home: Path, after_s: float) -> None:
    """Run a command and kill it, and nothing that it started, after so long."""
    victim = subprocess.Popen(
        command(verb, name, home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        victim.wait(after_s)
    except subprocess.TimeoutExpired:
        victim.send_signal(signal.SIGKILL)
        victim.wait()


def lab_id(name: str, home: Path) -> str | None:
    """The lab's id, where a killed command left it written down."""
    file = home / "labs" / name / "lab.json"
    return json.loads(file.read_text())["lab_id"] if file.exists() else None


def test_what_a_killed_up_left_is_taken_down(home: Path) -> None:
    whole_s, ids = took("up", "t-whole", home), [lab_id("t-whole", home)]
    took("down", "t-whole", home)
    for number in range(KILLS):
        name = f"t-{os.getpid()}-{number}"
        killed("up", name, home, random.uniform(0.1, whole_s))
        ids.append(lab_id(name, home))
        ogai.lab.down(name)
        assert leavings(home, ids[-1]) == []
    assert [left for one in ids for left in leavings(home, one)] == []  # nor did anything come late


def test_a_killed_up_is_finished_by_the_next(home: Path) -> None:
    name = f"t-{os.getpid()}"
    whole_s = took("up", "t-whole", home)
    took("down", "t-whole", home)
    try:
        for _ in range(KILLS):
            killed("up", name, home, random.uniform(0.1, whole_s))
        took("up", name, home)
        (report,) = ogai.lab.probe()
        assert [(host.state, host.broken) for host in report.hosts] == [("on", ())] * NODES
        results = ogai.lab.exec_(f"{name}-[1-{NODES}]", ("systemctl", "is-system-running", "--wait"))
        assert [result.value.stdout if result.value else result.error for result in results] == [
            "running\n"
        ] * NODES
    finally:
        ogai.lab.down(name)


def test_what_a_killed_down_left_is_taken_down(home: Path) -> None:
    name = f"t-{os.getpid()}"
    for _ in range(KILLS):
        took("up", name, home)
        own = lab_id(name, home)
        killed("down", name, home, random.uniform(0.1, 0.8))
        ogai.lab.down(name)
        assert leavings(home, own) == []

"""The command line in a home of its own, with a real agent, real shims and real processes behind it."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ogai.flows.engine import open_engine
from ogai.main import main
from tests.support.world import TIMEOUT_S, processes_of

CASES = Path(__file__).parents[2] / "cases" / "job_submit"


@dataclass(frozen=True, slots=True)
class Said:
    """What one command line left: its exit code and what it wrote."""

    code: int
    out: str
    err: str


Ogai = Callable[..., Said]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point this process, and the agents it starts, to folders of the test's own."""
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OGAI_LEDGER", str(tmp_path / "ledger"))
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "home"


@pytest.fixture
def ogai(home: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Ogai]:
    """Run `ogai` with these words; at the end everything it started must be gone."""

    def run(*words: str) -> Said:
        code = main(words)
        captured = capfd.readouterr()
        return Said(code, captured.out, captured.err)

    yield run
    with open_engine() as engine:
        open_jobs = [status.job_id for status in engine.poll() if status.ended_at is None]
        if open_jobs:
            engine.cancel(open_jobs, now=True)
            engine.wait(open_jobs, TIMEOUT_S)
        engine.stop_agent()
    assert processes_of(home) == []


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """Variables for an `ogai` that is a process of its own."""
    root = Path(__file__).parents[3]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "cli")])}

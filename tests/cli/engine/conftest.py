"""A real engine in a folder of its own: real agent, real shims, real processes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from l2_scheduler.local.ledger import Ledger
from ogai.flows.engine import open_engine
from tests.support.world import TIMEOUT_S, World, processes_of


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point this process, and the agents it starts, to folders of the test's own."""
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OGAI_LEDGER", str(tmp_path / "ledger"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    (tmp_path / "bin").mkdir()
    return tmp_path / "home"


@pytest.fixture
def world(home: Path, tmp_path: Path) -> Iterator[World]:
    (tmp_path / "work").mkdir()
    with open_engine() as engine:
        yield World(engine, tmp_path / "work")
        open_jobs = [s.job_id for s in engine.poll() if s.ended_at is None or s.state == "PENDING"]
        if open_jobs:
            engine.cancel(open_jobs, now=True)
            engine.wait(open_jobs, TIMEOUT_S)
        engine.stop_agent()
    assert processes_of(home) == []
    with Ledger(tmp_path / "ledger").locked() as ledger:
        assert ledger.claims() == ()

"""A drill of a run of its own begins when the run does, however long its turn takes."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from l3_modeltools.runs import Metric, RunLayout, create_run
from ogai.flows.train.drills import begun
from tests.support.runs import a_train


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OGAI_LEDGER", str(tmp_path / "ledger"))
    folder = tmp_path / "home" / "runs"
    folder.mkdir(parents=True)
    yield folder


def test_a_run_that_waits_says_so_until_its_first_step(runs: Path) -> None:
    run = create_run(runs, a_train(), submitted_at=100.0)
    told: list[str] = []

    def hear(text: str) -> None:
        told.append(text)
        RunLayout(Path(run.directory)).metrics.write_bytes(
            msgspec.json.encode(Metric(step=3, at=101.0)) + b"\n"
        )

    assert begun(run, hear).step == 3
    assert told == [f"run {run.run_id} waits: no job carries it yet"]

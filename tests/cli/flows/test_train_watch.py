"""Who looks on sees a run whose clock is set as one that goes on: its newest step, its times on one clock."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from l3_modeltools import Mark, Metric, create_run
from l3_modeltools.runs import append_mark
from ogai.flows.engine import open_engine
from ogai.flows.train import find, metrics, run_ettr
from ogai.flows.train.watch import Watch
from tests.support.runs import a_train

BEGAN = 1e9


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OGAI_LEDGER", str(tmp_path / "ledger"))
    folder = tmp_path / "home" / "runs"
    folder.mkdir(parents=True)
    run = create_run(folder, a_train(), submitted_at=BEGAN)
    append_mark(Path(run.directory), Mark(at=BEGAN + 5, mark="supervised"))
    tell(Path(run.directory), range(1, 11), ahead_s=0.0)
    yield Path(run.directory)


def tell(directory: Path, steps: range, *, ahead_s: float) -> None:
    with (directory / "metrics.jsonl").open("ab") as file:
        for step in steps:
            metric = Metric(step=step, at=BEGAN + 10 + step + ahead_s, step_s=1.0, loss=3.0)
            file.write(msgspec.json.encode(metric) + b"\n")


@pytest.mark.parametrize("by", [7200.0, -7200.0])
def test_the_clock_is_set_while_it_is_watched(directory: Path, by: float) -> None:
    with open_engine() as engine:
        watch = Watch(engine, directory)
        before = watch.look()
        assert (before.run.step, before.history.at.values[-1]) == (10, BEGAN + 20)
        append_mark(directory, Mark(at=BEGAN + 20.5 + by, mark="clock_set", seconds=by, fault_id=1))
        tell(directory, range(11, 21), ahead_s=by)
        after = watch.look()
    assert after.run.step == 20 and after.history.last and after.history.last.step == 20
    assert after.history.at.values == [BEGAN + 10 + step + by for step in range(1, 21)]
    assert after.starts == () and [mark.at for mark in after.marks] == [BEGAN + 5 + by]


@pytest.mark.parametrize("by", [7200.0, -7200.0])
def test_its_step_and_its_time_are_those_of_a_run_with_one_clock(directory: Path, by: float) -> None:
    append_mark(directory, Mark(at=BEGAN + 20.5 + by, mark="clock_set", seconds=by, fault_id=1))
    tell(directory, range(11, 21), ahead_s=by)
    append_mark(directory, Mark(at=BEGAN + 31 + by, mark="ended", exit_code=143))
    run = find("small-1")
    assert run.step == 20 and run.submitted_at == BEGAN + by and run.figures.at_work_s == 26.0
    assert [metric.at for metric in metrics("small-1")] == [BEGAN + 10 + step + by for step in range(1, 21)]
    spent = {spent.category: spent.seconds for spent in run_ettr("small-1").spent}
    assert (spent["productive"], spent["queue"]) == (20.0, 5.0)

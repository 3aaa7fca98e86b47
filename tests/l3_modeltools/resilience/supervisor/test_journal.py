"""Faults and restarts count also while the disk takes nothing, and are written down when it does."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from l3_modeltools.resilience.notify import Notifier
from l3_modeltools.resilience.supervisor.budget import spent_restarts
from l3_modeltools.resilience.supervisor.journal import Journal, say
from l3_modeltools.runs import read_faults, read_marks
from l3_modeltools.schemas import Evidence, TrainingFault
from tests.support.runs import a_run

FAULT = TrainingFault(
    run="tiny",
    fault_class="killed",
    detected_at=1.0,
    evidence=(Evidence(source="exit", text="SIGKILL"),),
    advised="restart_worker",
)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "run", Notifier(a_run(), {}))


def test_what_the_disk_refuses_counts_and_is_written_later(journal: Journal, tmp_path: Path) -> None:
    journal.supervised()
    first = journal.report(FAULT)
    journal.revise(replace(first, taken="restart_worker"))
    journal.spawned(first)
    second = journal.report(FAULT)
    assert (first.fault_id, second.fault_id) == (1, 2)
    assert [fault.taken for fault in journal.faults] == ["restart_worker", second.taken]
    assert len(spent_restarts(journal.marks)) == 1

    (tmp_path / "run").mkdir()
    journal.ended(6, second, "the budget is spent")
    assert [fault.fault_id for fault in read_faults(tmp_path / "run")] == [1, 2]
    assert [mark.mark for mark in read_marks(tmp_path / "run")] == ["supervised", "spawned", "ended"]
    assert journal.marks == read_marks(tmp_path / "run")


def test_files_that_cannot_be_read_are_passed_over(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "run" / "faults.jsonl").mkdir(parents=True)
    (tmp_path / "run" / "timeline.jsonl").mkdir()
    journal.supervised()
    assert journal.report(FAULT).fault_id == 1
    assert len(journal.faults) == len(journal.marks) == 1


def test_a_full_log_costs_the_text(capfd: pytest.CaptureFixture[str]) -> None:
    kept = os.dup(1)
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        os.dup2(full, 1)
        say("nobody reads this")
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(full)

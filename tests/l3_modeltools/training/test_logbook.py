"""What the chief writes down, also where the disk takes it later only."""

import mmap
from pathlib import Path

from l3_modeltools.resilience.heartbeat import Heart, page_bytes
from l3_modeltools.runs import read_faults, read_marks
from l3_modeltools.schemas import Evidence
from l3_modeltools.training.logbook import Logbook, Noted

NOTED = Noted(
    fault_class="data_stall",
    summary="slow",
    evidence=[Evidence(source="heartbeat", rank=1, text="4 s")],
    suspects=[1],
    advised="none",
    taken="none",
    lasted_s=4.0,
)


def a_heart() -> Heart:
    heart = Heart(mmap.mmap(-1, page_bytes(1)), 0)
    heart.enter("backward", 7)
    return heart


def test_a_fault_bears_where_the_loop_was(tmp_path: Path) -> None:
    fault = Logbook(tmp_path, "r", a_heart(), say=[].append).report(NOTED)
    assert read_faults(tmp_path) == (fault,)
    assert fault is not None and fault.occurred_at is not None
    assert (fault.step, fault.section) == (7, "forward_backward")
    assert abs(fault.detected_at - fault.occurred_at - 4.0) < 1e-6


def test_others_than_the_chief_write_nothing(tmp_path: Path) -> None:
    logbook = Logbook(tmp_path, "r", a_heart(), say=None)
    assert logbook.report(NOTED) is None
    logbook.mark("ready", step=3)
    assert list(tmp_path.iterdir()) == []


def test_what_the_disk_refuses_is_written_before_what_comes_next(tmp_path: Path) -> None:
    said: list[str] = []
    directory = tmp_path / "away"
    logbook = Logbook(directory, "r", a_heart(), say=said.append)
    assert logbook.report(NOTED) is None
    logbook.mark("paused", step=7)
    assert "no such file" in said[-1]
    directory.mkdir()
    logbook.mark("went_on", step=8)
    assert [mark.mark for mark in read_marks(directory)] == ["paused", "went_on"]
    assert [fault.fault_id for fault in read_faults(directory)] == [1]


def test_what_is_done_after_all_is_said(tmp_path: Path) -> None:
    logbook = Logbook(tmp_path, "r", a_heart(), say=[].append)
    fault = logbook.report(NOTED)
    assert fault is not None
    logbook.took(fault, "pause")
    assert [(one.fault_id, one.taken) for one in read_faults(tmp_path)] == [(1, "pause")]

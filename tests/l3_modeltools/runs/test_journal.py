"""A run's journal survives kills, and two who report at once get two numbers."""

from multiprocessing import get_context
from pathlib import Path

from msgspec.structs import replace

from l3_modeltools.runs import (
    Mark,
    RunLayout,
    append_mark,
    read_faults,
    read_marks,
    report_fault,
    revise_fault,
)
from l3_modeltools.schemas import Evidence, TrainingFault


def fault(text: str = "rank 1 was killed") -> TrainingFault:
    return TrainingFault(
        run="t-1",
        fault_class="killed",
        summary=text,
        detected_at=10.0,
        evidence=(Evidence(source="exit", rank=1, text="SIGKILL"),),
        advised="restart_worker",
    )


def test_nothing_happened_yet(tmp_path: Path) -> None:
    assert read_faults(tmp_path) == ()
    assert read_marks(tmp_path) == ()


def test_marks_come_back_in_order_and_a_cut_off_one_is_passed_over(tmp_path: Path) -> None:
    append_mark(tmp_path, Mark(at=1.0, mark="supervised"))
    with RunLayout(tmp_path).timeline.open("ab") as file:
        file.write(b'{"at": 2.0, "mark": "spa\n')
    append_mark(tmp_path, Mark(at=3.0, mark="ready", step=4, source="memory"))
    assert read_marks(tmp_path) == (
        Mark(at=1.0, mark="supervised"),
        Mark(at=3.0, mark="ready", step=4, source="memory"),
    )


def test_of_a_fault_the_last_word_counts(tmp_path: Path) -> None:
    first = report_fault(tmp_path, fault())
    second = report_fault(tmp_path, fault("rank 0 was killed"))
    assert (first.fault_id, second.fault_id) == (1, 2)
    revise_fault(tmp_path, replace(first, taken="restart_worker", resumed_at=12.0, redone_steps=0))
    told = read_faults(tmp_path)
    assert [known.fault_id for known in told] == [1, 2]
    assert told[0].resumed_at == 12.0 and told[1].taken is None


def test_a_line_that_is_no_fault_hides_no_other(tmp_path: Path) -> None:
    report_fault(tmp_path, fault())
    with RunLayout(tmp_path).faults.open("ab") as file:
        file.write(b'{"kind": "fault", "ver\n[1]\n\xff\n')
    report_fault(tmp_path, fault())
    assert [known.fault_id for known in read_faults(tmp_path)] == [1, 2]


def test_several_processes_report_at_once(tmp_path: Path) -> None:
    with get_context("fork").Pool(4) as pool:
        numbers = [told.fault_id for told in pool.starmap(report_fault, [(tmp_path, fault())] * 24)]
    assert sorted(numbers) == list(range(1, 25))


def test_what_a_full_disk_cut_off_does_not_spoil_the_next_line(tmp_path: Path) -> None:
    layout = RunLayout(tmp_path)
    layout.timeline.write_bytes(b'{"at": 1.0, "mark": "sup')
    append_mark(tmp_path, Mark(at=2.0, mark="spawned"))
    assert read_marks(tmp_path) == (Mark(at=2.0, mark="spawned"),)
    layout.faults.write_bytes(b'{"kind": "fau')
    assert read_faults(tmp_path) == ()
    reported = report_fault(tmp_path, fault())
    assert read_faults(tmp_path) == (reported,)

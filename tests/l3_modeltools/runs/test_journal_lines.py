"""Faults and metrics are read line by line, quickly, and past what a kill left."""

from pathlib import Path

import msgspec

from l3_modeltools.runs import read_faults, read_metric_lines, report_fault, revise_fault
from l3_modeltools.schemas import Evidence, TrainingFault

FAULT = TrainingFault(
    run="small-1",
    fault_class="crash",
    detected_at=12.5,
    evidence=(Evidence(source="log", rank=1, text="größer"),),
    advised="restart_worker",
)


def test_faults_are_read_as_told_last_whatever_stands_between(tmp_path: Path) -> None:
    first, second = report_fault(tmp_path, FAULT), report_fault(tmp_path, FAULT)
    with (tmp_path / "faults.jsonl").open("ab") as file:
        file.write(b'{"kind": "fault", "run": "small-1", "fault_cl\n\xff\xfe\n{"kind": "job"}\n\xff')
        file.write(b'\n{"kind": "fault", "summary": "\xff"}\n')
    mended = msgspec.structs.replace(first, resumed_at=20.0, taken="restart_worker")
    revise_fault(tmp_path, mended)
    assert read_faults(tmp_path) == (mended, second)


def test_metric_lines_keep_their_order_and_the_steps_that_came_again(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text(
        '{"step": 1, "at": 1.0}\n{"step": 2, "at": 2.0}\n{"step": 3, "a\n{"step": 2, "at": 9.0}\n'
    )
    assert [(line.step, line.at) for line in read_metric_lines(tmp_path)] == [(1, 1.0), (2, 2.0), (2, 9.0)]
    assert read_metric_lines(tmp_path / "absent") == ()

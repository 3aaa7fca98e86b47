"""What is seen while all ranks are at work is told, and marked where times depend on it."""

from pathlib import Path

import pytest

from l3_modeltools.resilience.clock import Jump
from l3_modeltools.resilience.notify import Notifier
from l3_modeltools.resilience.supervisor.journal import Journal
from l3_modeltools.resilience.supervisor.onlooker import Onlooker
from l3_modeltools.runs import Mark, read_faults, read_marks
from tests.support.runs import a_run


@pytest.mark.parametrize(("seconds", "said"), [(7200.0, "set 7200.0 s ahead"), (-3.5, "set 3.5 s back")])
def test_a_clock_that_was_set_is_told_and_by_how_much_is_marked(
    tmp_path: Path, seconds: float, said: str
) -> None:
    journal = Journal(tmp_path, Notifier(a_run(), {}))
    Onlooker("small-1", tmp_path, "n1", journal).jumped(
        Jump(seconds=seconds, at=500.5, monotonic_s=20.0, late_s=0.25)
    )
    (fault,), (mark,) = read_faults(tmp_path), read_marks(tmp_path)
    assert (fault.fault_class, fault.advised, fault.taken) == ("clock_jump", "none", "none")
    assert said in fault.summary
    wanted = Mark(at=500.5, mark="clock_set", monotonic_s=20.0, seconds=seconds, late_s=0.25, fault_id=1)
    assert mark == wanted and fault.detected_at == 500.5

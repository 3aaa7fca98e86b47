from pathlib import Path

import msgspec

from l3_modeltools.training.history import recent_steps
from l3_modeltools.training.metrics import StepMetrics


def metrics(step: int, loss: float) -> StepMetrics:
    return StepMetrics(step=step, at=1.0, tokens=64 * step, loss=loss)


def test_the_last_word_on_each_of_the_newest_steps_counts(tmp_path: Path) -> None:
    told = [*(metrics(step, 1.0) for step in range(1, 9)), *(metrics(step, 2.0) for step in range(6, 12))]
    lines = [msgspec.json.encode(one) for one in told]
    (tmp_path / "metrics.jsonl").write_bytes(b"\n".join([*lines, b'{"step": 12, "a']))
    found = recent_steps(tmp_path, until=10, count=6)
    assert [(one.step, one.loss) for one in found] == [(5, 1.0), *((step, 2.0) for step in range(6, 11))]


def test_only_the_end_of_a_long_file_is_read(tmp_path: Path) -> None:
    lines = [msgspec.json.encode(metrics(step, 1.0)) for step in range(1, 20_001)]
    (tmp_path / "metrics.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    assert [one.step for one in recent_steps(tmp_path, until=20_000)] == list(range(19_937, 20_001))
    assert recent_steps(tmp_path, until=64) == ()


def test_a_run_that_told_nothing_yet_has_no_history(tmp_path: Path) -> None:
    assert recent_steps(tmp_path, until=0) == ()

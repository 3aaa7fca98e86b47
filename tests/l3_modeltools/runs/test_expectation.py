"""A plan beside what was measured."""

import pytest
from msgspec.structs import replace

from l3_modeltools.runs import Met, Metric, expectations
from l3_modeltools.schemas import Expected, Run
from tests.support.trainings import training


def run(expected: Expected | None) -> Run:
    train = training(batch=16, length=256)
    return Run(run_id="t-1", train=train, directory="/runs/t-1", submitted_at=1.0, expected=expected)


def test_what_was_planned_stands_beside_the_median_after_the_first_steps() -> None:
    seconds = [9.0, 5.0, 3.0, 1.0, 1.2, 1.0, 7.0, 1.0]
    metrics = [Metric(step=at, step_s=s, memory_bytes=100.0 + at % 5) for at, s in enumerate(seconds, 1)]
    step, memory = expectations(run(Expected(memory_bytes=110, step_s=0.9)), metrics)
    assert step == Met(what="step", unit="s", planned=0.9, measured=1.0)
    assert memory == Met(what="memory", unit="bytes", planned=110.0, measured=104.0)
    assert (step.error, memory.error) == (pytest.approx(-0.1), pytest.approx(110 / 104 - 1))


def test_a_speed_stands_in_for_seconds() -> None:
    metrics = [Metric(step=at, tokens_per_s=2048.0) for at in range(1, 6)]
    (step,) = expectations(run(Expected(memory_bytes=110, step_s=1.0)), metrics)
    assert step.measured == 16 * 256 / 2048


def test_what_was_not_planned_or_not_measured_is_not_told() -> None:
    warm = [Metric(step=at, step_s=1.0, memory_bytes=5.0) for at in range(1, 4)]
    assert expectations(run(None), warm) == ()
    assert [met.what for met in expectations(run(Expected(memory_bytes=5, step_s=1.0)), warm)] == ["memory"]
    assert expectations(run(Expected(memory_bytes=5)), ()) == ()


def test_it_is_kept_with_the_run() -> None:
    told = Expected(memory_bytes=5, step_s=0.25, device="h100-sxm-80", calibration="published")
    assert replace(run(None), expected=told).expected == told

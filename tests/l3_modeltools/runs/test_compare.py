"""Runs summed up, and side by side."""

import math

import msgspec
import pytest

from l3_modeltools.runs import LossAt, Measured, Metric, compare_runs, summarize
from l3_modeltools.schemas import Figures, Notification, Optimizer
from tests.support.runs import a_command, a_run, a_train

METRICS = (
    Metric(step=1, at=100.0, loss=5.0, tokens_per_s=10.0),
    Metric(step=2, at=110.0, loss=4.0, tokens_per_s=30.0, validation_loss=4.5),
    Metric(step=3, at=120.0, loss=3.0, tokens_per_s=20.0, validation_loss=math.nan),
    Metric(step=4, at=135.0, validation_loss=4.25),
)


def test_a_summary_holds_what_was_told() -> None:
    summary = summarize(a_run(), METRICS)
    assert (summary.run_id, summary.state, summary.step) == ("small-1", "PENDING", 4)
    assert summary.tokens == 4 * 4 * 8
    assert (summary.first_loss, summary.last_loss) == (LossAt(step=1, loss=5.0), LossAt(step=3, loss=3.0))
    assert [found.step for found in summary.validation_losses] == [2, 3, 4]
    assert summary.best_validation == LossAt(step=4, loss=4.25)
    assert summary.tokens_per_s == 20.0
    assert summary.wall_s == 35.0 and summary.at_work_s is None
    worked = a_run(figures=Figures(at_work_s=31.0))
    assert summarize(worked, METRICS).at_work_s == 31.0


def test_a_run_that_told_nothing_has_a_summary_too() -> None:
    summary = summarize(a_run(step=7), ())
    assert summary.step == 7
    assert summary.tokens is summary.first_loss is summary.best_validation is summary.wall_s is None


def test_runs_are_compared_by_wishes_numbers_and_losses_after_equally_many_tokens() -> None:
    other = a_train(
        "large",
        optimizer=Optimizer(learning_rate=1e-3),
        data=msgspec.structs.replace(a_train().data, global_batch_size=8),
    )
    faster = tuple(msgspec.structs.replace(m, loss=m.loss and m.loss / 2) for m in METRICS)
    comparison = compare_runs(
        Measured(run=a_run(), metrics=METRICS), Measured(run=a_run(other), metrics=faster)
    )
    assert {(d.path, d.values) for d in comparison.differences} == {
        ("name", ("small", "large")),
        ("data.global_batch_size", (4, 8)),
        ("optimizer.learning_rate", (3e-4, 1e-3)),
    }
    assert comparison.equal_tokens == 128
    assert comparison.losses_at_equal_tokens == (3.0, 2.0)
    assert [summary.last_loss for summary in comparison.summaries] == [
        LossAt(step=3, loss=3.0),
        LossAt(step=3, loss=1.5),
    ]


def test_who_is_told_is_no_difference_and_stays_out_of_what_is_handed_on() -> None:
    told = a_train(notify=(Notification(webhook="https://chat.example/secret"),))
    assert a_run(told).train.notify
    measured = (Measured(run=a_run(), metrics=METRICS), Measured(run=a_run(told), metrics=METRICS))
    assert compare_runs(*measured).differences == ()


def test_what_only_one_has_is_a_difference_and_untold_tokens_are_no_measure() -> None:
    comparison = compare_runs(
        Measured(run=a_run(), metrics=METRICS), Measured(run=a_run(a_command("x")), metrics=METRICS)
    )
    by_path = {difference.path: difference.values for difference in comparison.differences}
    assert by_path["command.argv[0]"] == (None, "x")
    assert by_path["data.sequence_length"] == (8, None)
    assert comparison.equal_tokens is None
    assert comparison.losses_at_equal_tokens == (None, None)
    told = [Measured(run=a_run(a_command("x")), metrics=(Metric(step=1, tokens=9.0, loss=1.5),))]
    assert compare_runs(*told).losses_at_equal_tokens == (pytest.approx(1.5),)

"""Batches may be left out now and then: so many at once that the run has left its course are too many."""

from collections.abc import Callable
from pathlib import Path

from l3_modeltools.schemas import SkippedSteps
from l3_modeltools.training.guard import Skips


def refuse(work: Callable[[], object], *, what: str) -> bool:
    raise AssertionError(f"nothing is to be written: {what}")


def left_out(*steps: int) -> Skips:
    parts = [SkippedSteps(first_step=step, last_step=step, reason="r") for step in steps]
    return Skips(Path("/nowhere"), refuse, parts)


def test_eight_decisions_within_64_steps_are_too_many() -> None:
    assert not left_out(*range(100, 107)).is_too_many(110)
    assert left_out(*range(100, 108)).is_too_many(110)
    assert left_out(*range(100, 108)).is_too_many(163)


def test_what_lies_further_back_or_ahead_does_not_count() -> None:
    assert not left_out(*range(100, 108)).is_too_many(164)
    assert not left_out(*range(100, 108)).is_too_many(106)

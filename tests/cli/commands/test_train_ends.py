"""How a run ended is told as what it was: done, failed, or stopped on wish; the exit code says so too."""

from pathlib import Path

import pytest

from l0_infra.core.errors import InterruptedByUser, OgaiError, UnhealthyError
from l3_modeltools.schemas import Run, RunState
from ogai.commands.train.attend import ENDS, tell_end
from ogai.failure import describe_failure
from ogai.main import build
from ogai.render.train.ended import print_stopped
from tests.support.runs import a_run

PAGE = (Path(__file__).parents[3] / "docs" / "train.md").read_text()


def ended(state: RunState, reason: str) -> Run:
    return a_run(state=state, reason=reason, step=12)


def failure(run: Run) -> OgaiError:
    with pytest.raises(OgaiError) as caught:
        tell_end(run)
    return caught.value


def test_a_run_that_was_stopped_is_no_error() -> None:
    told = failure(ended("CANCELLED", "stopped after step 12 by ann"))
    assert isinstance(told, InterruptedByUser) and told.exit_code == 130
    (line,) = describe_failure(told, ("train", "watch", "small-1"), build())
    assert line.startswith("run small-1: stopped after step 12 by ann, as was wished; nothing is saved")
    assert line.endswith("; go on: ogai train resume small-1")


def test_a_run_that_failed_is_one() -> None:
    told = failure(ended("FAILED", "gave up after step 12: a rank hung"))
    assert isinstance(told, UnhealthyError) and "gave up after step 12" in told.found


def test_a_run_that_was_done_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    tell_end(ended("COMPLETED", "all 12 steps are done"))
    assert capsys.readouterr().err.startswith("run small-1: COMPLETED")


def test_who_stopped_it_hears_what_is_saved_and_what_to_type(capsys: pytest.CaptureFixture[str]) -> None:
    print_stopped(ended("CANCELLED", "stopped after step 12 by ann"))
    first, second = capsys.readouterr().err.splitlines()
    assert (
        first
        == "run small-1: stopped after step 12 by ann; nothing is saved: it would begin anew, 12 steps are lost"
    )
    assert second == "next: ogai train resume small-1"


def test_the_exit_codes_are_written_down() -> None:
    for code in ("0", str(UnhealthyError.exit_code), str(InterruptedByUser.exit_code)):
        assert f" {code} when" in ENDS
        assert f"\n| {code} | " in PAGE

"""What a run of nccl-tests, rccl-tests or hccl_test shows, by what was printed: cases, and any text."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.exec import Outcome
from l1_podsys.gates.perf_runs import conclude, read_run

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "cases/perf/perf.yaml").read_text("utf-8")
)


def outcome(text: str, *, late: bool = False) -> Outcome:
    return Outcome(
        argv=("sh",), ended_by="deadline" if late else "exit", exit_code=0, stdout_bytes=text.encode()
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_a_run_shows(case: dict[str, Any]) -> None:
    run = read_run(outcome(case["text"], late=case.get("late", False)))
    end = conclude(run, case["ranks"])
    assert (end.kind, end.words) == (case["kind"], case.get("words", ""))
    assert max(end.speeds, default=None) == (
        pytest.approx(case["best_gb_per_s"] * 1e9) if end.kind == "well" else None
    )


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["kind"] == "well"], ids=lambda case: case["name"]
)
def test_no_part_of_a_good_answer_is_good(case: dict[str, Any]) -> None:
    text = case["text"]
    parts = [text[:cut] for cut in range(0, text.index("\n== exit"), 7)]
    assert {conclude(read_run(outcome(part)), case["ranks"]).kind for part in parts} == {"unknown"}


@given(st.text(), st.sampled_from(CASES), st.integers(0, 2000))
def test_any_text_is_judged(text: str, case: dict[str, Any], at: int) -> None:
    damaged = case["text"][:at] + text + case["text"][at + len(text) :]
    for said in (text, damaged):
        end = conclude(read_run(outcome(said)), case["ranks"])
        assert bool(end.words) != (end.kind == "well")
        assert all(speed > 0 for speed in end.speeds)


def test_bandwidth_counts_at_the_two_largest_sizes_only() -> None:
    run = read_run(outcome(CASES[0]["text"]))
    assert conclude(run, 8).speeds == pytest.approx((359.84e9, 358.56e9, 369.30e9, 368.32e9))

"""Diagnoses of dcgmi 3 and 4, and the words of other vendors' tools; what says nothing is no pass."""

from pathlib import Path

import pytest

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import Outcome
from l0_infra.schemas import Accelerator, Condition
from l1_podsys.gates.accelerators import diagnosis_command, judge_diagnosis, judge_health, parse_diagnosis

CASES = Path(__file__).parent / "cases"


def printed(text: str, error: str = "", code: int = 0) -> Outcome:
    return Outcome(
        argv=("dcgmi",),
        ended_by="exit",
        exit_code=code,
        stdout_bytes=text.encode(),
        stderr_bytes=error.encode(),
    )


def test_a_failed_test_is_told_with_its_gpu_and_reason() -> None:
    text = (CASES / "dcgmi3-fail.json").read_text()
    found = parse_diagnosis(text)
    assert found is not None
    assert (found.passed, found.warned) == (2, {"Persistence Mode": "GPU 0,1: Persistence mode is off."})
    judged = judge_diagnosis("n1", printed(text, code=226))
    assert (judged.severity, judged.found) == ("critical", "PCIe: GPU 1: PCIe replay counter went up by 12.")


def test_a_warning_alone_is_a_warning() -> None:
    text = (CASES / "dcgmi3-fail.json").read_text().replace('"Fail"', '"Pass"')
    assert judge_diagnosis("n1", printed(text)).severity == "warning"


def test_the_words_of_version_4_are_read() -> None:
    judged = judge_diagnosis("n1", printed((CASES / "dcgmi4-pass.json").read_text()))
    assert (judged.severity, judged.found) == ("ok", "2 passed")


@pytest.mark.parametrize(
    "outcome",
    [
        printed("", "sh: dcgmi: not found", 127),
        printed('{"DCGM GPU Diagnostic": {"version": "4.2.3"}}'),
        printed("Error: unable to establish a connection to the specified host: localhost", code=255),
        printed(
            '{"DCGM GPU Diagnostic": {"test_categories": [{"tests": [{"results": [{"status": "Skip"}]}]}]}}'
        ),
        RemoteError("n1", found="no answer", expected="an answer"),
    ],
)
def test_no_test_is_no_pass(outcome: Outcome | RemoteError) -> None:
    judged = judge_diagnosis("n1", outcome)
    assert judged.severity == "unknown" and judged.found


def npu(health: str | None, *codes: str) -> Accelerator:
    return Accelerator(
        id="ascend:0", vendor="ascend", index=0, condition=Condition(health=health, error_codes=codes or None)
    )


@pytest.mark.parametrize(
    ("one", "severity"),
    [
        (npu("OK"), "ok"),
        (npu("Alarm"), "critical"),
        (npu("OK", "0x80E01801"), "critical"),
        (npu(None), "unknown"),
    ],
)
def test_the_word_of_the_vendors_tool_counts(one: Accelerator, severity: str) -> None:
    assert [judged.severity for judged in judge_health("n1", [one])] == [severity]


def test_without_accelerators_nothing_is_said() -> None:
    assert list(judge_health("n1", [])) == []


def test_a_burn_in_asks_for_the_long_diagnosis() -> None:
    assert diagnosis_command("medium").argv[3] == "1"
    assert diagnosis_command("burnin").argv[3] == "3"

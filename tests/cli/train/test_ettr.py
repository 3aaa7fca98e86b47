"""`ogai train ettr`: of a run, of a plan, of a published table, and what it refuses."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from l3_modeltools.runs import Mark, Metric, append_mark, create_run, report_fault
from l3_modeltools.schemas import Evidence, Run, TrainingFault
from ogai.main import main
from tests.support.runs import a_command

PLAN = ("--mtbf", "3h", "--save", "100s", "--restart", "20m")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OGAI_LEDGER", str(tmp_path / "ledger"))
    return tmp_path / "home"


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(("train", "ettr", *words)) == 0
    return capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    return json.loads(said(capsys, *words, "-o", "json"))  # type: ignore[no-any-return]


@pytest.fixture
def run(home: Path) -> Run:
    """A run that was killed once and came back, and whose job the queue knows no more."""
    (home / "runs").mkdir(parents=True)
    run = create_run(home / "runs", a_command("true"), submitted_at=100.0)
    run = msgspec.structs.replace(run, job_ids=("7",))
    directory = Path(run.directory)
    (directory / "run.json").write_bytes(msgspec.json.encode(run))
    report_fault(
        directory,
        TrainingFault(
            run=run.run_id,
            fault_class="killed",
            summary="rank 1 was killed",
            occurred_at=120.0,
            detected_at=121.0,
            located_at=122.0,
            evidence=(Evidence(source="exit", text="signal 9"),),
            advised="restart_worker",
            taken="restart_worker",
        ),
    )
    for at, word, fault_id in (
        (105.0, "supervised", None), (106.0, "spawned", None), (110.0, "ready", None),
        (124.0, "spawned", 1), (125.0, "ready", None), (145.0, "ended", None),
    ):  # fmt: skip
        append_mark(
            directory, Mark(at=at, mark=word, fault_id=fault_id, exit_code=0 if word == "ended" else None)
        )
    lines = [Metric(step=step, at=110.0 + step, step_s=1.0) for step in range(1, 11)]
    lines += [Metric(step=step, at=125.0 + step - 8, step_s=1.0) for step in range(9, 29)]
    (directory / "metrics.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return run


def test_of_a_run_it_tells_where_the_time_went(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, run.run_id)
    spent = {each["category"]: each["seconds"] for each in found["spent"] if each["seconds"]}
    assert spent == {
        "productive": 28, "redone": 2, "queue": 5, "setup": 5, "detect": 1, "locate": 1, "restart": 3,
    }  # fmt: skip
    assert found["wall_s"] == sum(spent.values()) == 45
    figures = {figure["name"]: figure["share"] for figure in found["figures"]}
    assert figures["ETTR"] == pytest.approx(28 / 45)
    assert figures["goodput"] == pytest.approx(28 / 40)
    assert (found["faults"], found["restarts"]) == ([{"fault_class": "killed", "count": 1}], 1)
    shown = said(capsys, run.run_id)
    assert "\nproductive      28s  62.2%  ###############\n" in shown
    assert "1 killed" in shown and "save stall" not in shown
    assert yaml.safe_load(said(capsys, run.run_id, "-o", "yaml")) == found


def test_of_a_plan_it_tells_the_number_its_parts_and_what_to_change(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hourly = document(capsys, *PLAN, "--every", "1h")
    assert hourly["expected"]["productive"] == pytest.approx(0.730, abs=0.001)
    assert hourly["first_order"] == pytest.approx(0.703, abs=0.001)
    assert sum(hourly["expected"].values()) == pytest.approx(1)
    best = document(capsys, *PLAN)
    assert best["best"] and best["expected"]["productive"] > hourly["expected"]["productive"]
    assert document(capsys, *PLAN, "--every", "auto") == best
    copies = document(capsys, *PLAN, "--every", "1h", "--survivors", "0.9", "--redo", "5s")
    assert copies["expected"]["redone"] < hourly["expected"]["redone"] / 4
    shown = said(capsys, *PLAN, "--every", "1h")
    assert "ETTR  73.0% expected" in shown
    assert "\n90%  copies in memory that 90% of faults leave, and a restart within" in shown
    assert "97%  no single change reaches it" in shown
    assert said(capsys, "--mtbf", "30d", "--save", "1s", "--restart", "10s").count("reached as planned") == 3


def test_accelerators_meet_faults_at_llama_3_s_rate(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--accelerators", "16384", "--save", "5s", "--restart", "1m")
    assert found["plan"]["mtbf_s"] / 3600 == pytest.approx(3.09, abs=0.01)


def test_the_replay_says_71_percent_to_first_order_and_how_90_95_and_97_are_reached(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = said(capsys, "--replay", "llama-3")
    assert "419 in 54 days on 16,384 H100, one every 3h5m" in shown
    assert "71.1%" in shown and "73.6%" in shown and "35.3 %" in shown
    for target in ("90%", "95%", "97%"):
        assert f"\n{target}  a restart within" in shown
    found = document(capsys, "--replay", "llama-3")
    assert [row["target"] for row in found["reaches"]] == [0.9, 0.95, 0.97]


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        ((), ("nothing to account for", "ogai train ettr RUN")),
        (("mine-1", "--mtbf", "3h"), ("run mine-1 and --mtbf", "one of a run, a plan and a replay")),
        (("mine-1", "--replay", "llama-3"), ("run mine-1 and --replay",)),
        (("--replay", "llama-3", "--save", "5s"), ("--save and --replay",)),
        (("--replay", "llama-4"), ("`llama-4`", "`llama-3`")),
        ((*PLAN, "--accelerators", "8"), ("both", "one of --mtbf and --accelerators")),
        (("--save", "1s", "--restart", "1m"), ("neither", "--accelerators")),
        (("--mtbf", "3h", "--restart", "1m"), ("no --save", "100s")),
        (("--mtbf", "3h", "--save", "1s"), ("no --restart",)),
        ((*PLAN, "--every", "0"), ("--every", "above 0")),
        (("--mtbf", "0s", "--save", "1s", "--restart", "1m"), ("--mtbf", "above 0")),
        ((*PLAN, "--every", "often"), ("--every", "`often`")),
        ((*PLAN, "--survivors", "1"), ("--survivors", "0.9")),
        ((*PLAN, "--survivors", "nan"), ("--survivors", "0.9")),
        (("--accelerators", "0", "--save", "1s", "--restart", "1m"), ("--accelerators", "at least 1")),
    ],
)
def test_mixtures_and_half_plans_are_refused_with_a_sentence(
    home: Path, capsys: pytest.CaptureFixture[str], words: Sequence[str], texts: Sequence[str]
) -> None:
    assert main(("train", "ettr", *words)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    for text in texts:
        assert text in captured.err


def test_copies_in_memory_are_told_of_where_the_plan_has_some(capsys: pytest.CaptureFixture[str]) -> None:
    assert "copies in memory)" not in said(capsys, *PLAN)
    assert "copies in memory)" in said(capsys, *PLAN, "--survivors", "0.9")

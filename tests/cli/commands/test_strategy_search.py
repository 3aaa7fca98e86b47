"""`ogai strategy search`, `sweep` and `compare`, as a person calls them."""

import json
from pathlib import Path

import pytest
import yaml

from l0_infra.core.documents import read_document
from l3_modeltools.schemas import Strategy
from ogai.main import main

SEARCH = ["strategy", "search", "llama-3.2-1b", "--devices", "8", "--device", "a100-sxm-80"]
BATCH = ["--sequence-length", "2048", "--global-batch", "32"]
FEW = ["--fix", "vp=1,cp=1,mbs=1"]


def found(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main([*SEARCH, *BATCH, *FEW, *words, "-o", "json"]) == 0
    plan: dict[str, object] = json.loads(capsys.readouterr().out)
    return plan


def test_the_best_few_are_a_table_with_reasons_and_bars(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SEARCH, *BATCH, *FEW, "--tokens", "100B", "--top", "3"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "llama-3.2-1b, 1.24B parameters, on 8 × a100-sxm-80"
    assert lines[1] == "32 × 2,048 tokens a step, whatever the framework"
    assert lines[3].split() == ["#", "CUT", "STEP", "TOKENS", "MFU", "PEAK", "100B", "IN"]
    assert lines[4].split()[:4] == ["1", "dp", "8", lines[4].split()[3]]
    assert [line.split()[0] for line in lines[4:7]] == ["1", "2", "3"]
    assert "free" in lines[8]
    assert any(line.startswith("stage 0") and "W" in line and "A" in line for line in lines)
    assert "ways to cut" in err


def test_a_plan_is_a_document_with_figures_that_fit_together(capsys: pytest.CaptureFixture[str]) -> None:
    plan = found(capsys, "--tokens", "10B", "--price", "3")
    best = plan["offers"][0]  # type: ignore[index]
    outlook = best["outlook"]
    assert sum(best["seconds"].values()) == pytest.approx(outlook["step_s"])
    assert max(sum(stage.values()) for stage in best["stages"]) == outlook["peak_bytes"]
    assert outlook["tokens_per_s"] == pytest.approx(32 * 2048 / outlook["step_s"])
    assert outlook["days"] == pytest.approx(1e10 / outlook["tokens_per_s"] / 86400)
    assert outlook["cost"] == pytest.approx(outlook["days"] * 24 * 8 * 3)
    assert 0.2 < outlook["mfu"] < 0.7


def test_the_best_is_written_with_what_it_is_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "best.yaml"
    found(capsys, "--to", str(file), "--framework", "megatron")
    strategy = read_document(file, expect=Strategy)
    assert strategy.workload is not None
    assert strategy.workload.architecture.name == "llama-3.2-1b"
    assert main(["strategy", "export", str(file), "--to", "megatron"]) == 0
    assert "--tensor-model-parallel-size" in capsys.readouterr().out


def test_decisions_and_frameworks_are_kept_to(capsys: pytest.CaptureFixture[str]) -> None:
    plan = found(capsys, "--fix", "tp=2,zero=1,recompute=selective", "--framework", "deepspeed")
    for offer in plan["offers"]:  # type: ignore[attr-defined]
        strategy = offer["strategy"]
        assert strategy["degrees"]["tp"] == 2
        assert (strategy["zero_stage"], strategy["recompute"]["mode"]) == (1, "selective")


def test_a_machine_document_says_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = {
        "kind": "machine",
        "version": 1,
        "name": "two",
        "device": "h100-sxm-80",
        "nodes": 1,
        "devices_per_node": 2,
    }
    file = tmp_path / "machine.yaml"
    file.write_text(yaml.safe_dump(machine), "utf-8")
    words = ["strategy", "search", "llama-3.2-1b", "--machine", str(file), *BATCH, *FEW]
    assert main([*words, "-o", "json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["devices"], plan["device"]) == (2, "h100-sxm-80")
    assert main([*words, "--devices", "4"]) == 2
    assert "one of both" in capsys.readouterr().err


def test_a_front_has_less_and_less_memory(capsys: pytest.CaptureFixture[str]) -> None:
    plan = found(capsys, "--front", "--framework", "torchtitan", "--fix", "pp=1")
    peaks = [offer["outlook"]["peak_bytes"] for offer in plan["front"]]  # type: ignore[attr-defined]
    assert len(peaks) > 2
    assert peaks == sorted(peaks, reverse=True)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--fix", "tp=3"], 3, "num_attention_heads 32 = 3 × 10 + 2"),
        (["--fix", "heads=3"], 2, "found `heads=3`; expected names among dp, tp"),
        (["--fix", "recompute=half"], 2, "expected one of none, selective, full"),
        (["--fix", "tp=0"], 2, "expected a number"),
        (["--objective", "fewest", "--tokens", "1T"], 2, "no --deadline"),
        (["--tokens", "many"], 2, "expected a number of tokens"),
        (["--objective", "fewest", "--tokens", "100T", "--deadline", "1d"], 3, "at most 1 days"),
    ],
)
def test_what_cannot_be_is_refused(
    words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SEARCH, *BATCH, *words]) == code
    assert said in " ".join(capsys.readouterr().err.split())


def test_what_does_not_fit_says_what_would(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["strategy", "search", "llama-3.1-70b", "--devices", "8", "--device", "a100-sxm-80"]
    assert main([*words, *BATCH, "--framework", "ogai"]) == 3
    said = " ".join(capsys.readouterr().err.split())
    assert "too much" in said
    assert "accelerators would do" in said


def test_a_curve_tells_how_well_it_scales(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "strategy",
        "sweep",
        "llama-3.2-1b",
        "--devices",
        "1,2,8",
        "--device",
        "a100-sxm-80",
        *BATCH,
        *FEW,
    ]
    assert main([*words, "-o", "json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert [point["devices"] for point in points] == [1, 2, 8]
    assert points[0]["efficiency"] == 1.0
    assert 0.5 < points[2]["efficiency"] < 1.02
    assert main(words) == 0
    assert "EFFICIENCY" in capsys.readouterr().out
    assert main([*words[:4], "1,x", *words[5:]]) == 2


def test_two_strategies_stand_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(tmp_path / name) for name in ("left.yaml", "right.yaml")]
    found(capsys, "--fix", "tp=1,pp=1", "--to", files[0])
    found(capsys, "--fix", "tp=4,pp=1", "--to", files[1])
    words = ["strategy", "compare", *files, "--device", "a100-sxm-80"]
    assert main([*words, "-o", "json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert {"dp", "tp"} <= set(compared["differing"])
    assert "micro batch" not in compared["differing"]
    for side in ("left", "right"):
        assert sum(compared[side]["seconds"].values()) == pytest.approx(compared[side]["step_s"])
        assert sum(compared[side]["bytes"].values()) == compared[side]["peak_bytes"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "What differs" in out
    assert "tensor exchange" in out


def test_a_strategy_for_nothing_cannot_be_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bare.yaml"
    file.write_text("kind: strategy\nversion: 1\n", "utf-8")
    assert main(["strategy", "compare", str(file), str(file), "--device", "a100-sxm-80"]) == 2
    assert "a strategy without a workload" in capsys.readouterr().err

"""`ogai strategy score` and `calibrate`, as a person calls them."""

import json
from pathlib import Path

import pytest

from ogai.main import main

HEAD = (
    "dataset,model,hidden,ffn,layers,heads,kv_heads,vocab,gated_mlp,gpu,precision,gpus,tp,pp,cp,vp,dp,fsdp,ep,mbs,gbs,"
    "seq_len,recompute,iter_s,tokens_per_s_per_gpu,peak_mem_gib,note\n"
)
RUN = "{dataset},m,{hidden},{ffn},16,16,16,32000,0,A100-80GB,bf16,8,1,1,1,1,8,0,1,4,64,2048,full,{step},,,\n"


LAST = RUN.format(dataset="set0", hidden=1024, ffn=4096, step="")
"""A run that nobody measured."""


def table(folder: Path, *, step: float = 2.0, many: int = 40) -> str:
    lines = [
        RUN.format(
            dataset=f"set{at % 2}", hidden=1024 + 128 * at, ffn=4096 + 512 * at, step=step * (1 + at / 20)
        )
        for at in range(many)
    ]
    path = folder / "runs.csv"
    path.write_text(HEAD + "".join(lines) + LAST)
    return str(path)


def test_a_table_is_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategy", "score", table(tmp_path), "-o", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    told = [(one["dataset"], one["rows"], one["refused"], one["time"]["rows"]) for one in found["datasets"]]
    assert told == [("set0", 21, 0, 20), ("set1", 20, 0, 20)]
    assert all(one["memory"] is None for one in found["datasets"])
    assert found["calibration"] == "published"
    first = found["runs"][0]
    assert first["step_s"] / first["run"]["step_s"] - 1 == pytest.approx(found["runs"][0]["step_s"] / 2.0 - 1)


def test_the_screen_has_every_run_when_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategy", "score", table(tmp_path), "--each"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert sum("A100-80GB" in one for one in printed) == 41
    assert printed[-3].split()[:2] == ["DATASET", "RUNS"]


def test_a_calibration_is_written_and_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("scipy", reason="needs scipy")
    runs, ours = table(tmp_path, step=0.5), str(tmp_path / "ours.yaml")
    unmeasured = tmp_path / "unmeasured.csv"
    unmeasured.write_text(HEAD + LAST)
    assert main(["strategy", "calibrate", str(unmeasured), "--to", ours]) == 3
    assert "no measured run" in capsys.readouterr().err
    assert not Path(ours).exists()
    assert main(["strategy", "calibrate", runs, "--to", ours]) == 0
    capsys.readouterr()
    assert main(["strategy", "score", runs, "--calibration", ours, "-o", "json"]) == 0
    fitted = json.loads(capsys.readouterr().out)
    assert main(["strategy", "score", runs, "-o", "json"]) == 0
    before = json.loads(capsys.readouterr().out)
    assert fitted["calibration"] == "ours"
    assert all(
        one["time"]["mape"] < other["time"]["mape"]
        for one, other in zip(fitted["datasets"], before["datasets"], strict=True)
    )


def test_runs_that_nobody_meant_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["strategy", "calibrate", table(tmp_path), "--to", str(tmp_path / "x.yaml"), "--device", "h100"]
    assert main(words) == 2
    assert "set0 on A100-80GB" in capsys.readouterr().err

"""`ogai strategy score` and `calibrate`, as a person calls them."""

import json
from pathlib import Path

import pytest
import yaml

from l3_modeltools.frameworks.translate import TABLES
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
    runs, ours = table(tmp_path, step=1.2), str(tmp_path / "ours.yaml")
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


def test_a_fit_to_few_runs_says_what_they_do_not_settle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy", reason="needs scipy")
    ours = str(tmp_path / "ours.yaml")
    assert main(["strategy", "calibrate", table(tmp_path, many=1), "--to", ours]) == 0
    said = capsys.readouterr().err
    assert "warning: 1 run of 1 kind cannot settle the " in said
    kept = next(
        one for one in said.splitlines() if one.startswith("touched by no run, and kept as in `published`: ")
    )
    assert "network_share" in kept and "matmul_share" not in kept
    assert main(["strategy", "calibrate", table(tmp_path, many=40), "--to", ours]) == 0
    assert "warning" not in capsys.readouterr().err


def test_runs_that_nobody_meant_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["strategy", "calibrate", table(tmp_path), "--to", str(tmp_path / "x.yaml"), "--device", "h100"]
    assert main(words) == 2
    assert "set0 on A100-80GB" in capsys.readouterr().err


def test_a_table_without_a_measured_run_is_no_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = written(tmp_path, "unmeasured.csv", HEAD + LAST)
    assert main(["strategy", "score", runs]) == 4
    said = capsys.readouterr()
    assert said.out.splitlines()[1].split() == ["set0", "1", "0", "time", "-", "-", "-", "-", "-"]
    assert "no run of which time or memory is told" in said.err


@pytest.mark.parametrize(
    "words",
    [
        ("calibrate", "runs.csv", "--to", "nowhere/ours.yaml"),
        ("export", "strategy.yaml", "--to", "megatron", "--file", "nowhere/a"),
        ("import", "parallel.yaml", "--to", "nowhere/a.yaml"),
    ],
)
def test_a_result_for_a_folder_that_is_not_there_is_refused(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path)
    written(tmp_path, "strategy.yaml", STRATEGY)
    written(tmp_path, "parallel.yaml", THEIRS)
    assert main(["strategy", *words]) == 2
    assert "found no folder nowhere; expected a file in a folder that is there" in capsys.readouterr().err


STRATEGY = """\
kind: strategy
degrees: {dp: 2, tp: 2, pp: 4}
pipeline: {offset: [[0, 1, 1, 0]]}
recompute: {mode: full, layers: [[1, 2, 3, 4]]}
zero_stage: 1
"""

THEIRS = """\
parallel_config: {data_parallel: 2, model_parallel: 2, pipeline_stage: 4, micro_batch_num: 8, vocab_emb_dp: true}
runner_config: {batch_size: 1, epochs: 5}
model: {model_config: {num_layers: 32, seq_length: 4096, offset: [-1, 1, 0, 0]}}
"""

MACHINE = """\
kind: machine
name: pod
device: h100-sxm-80
nodes: 2
network: {bytes_per_s_per_device: 50.0e9}
"""


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_a_strategy_is_written_for_a_framework_and_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = written(tmp_path, "strategy.yaml", STRATEGY)
    theirs, again = str(tmp_path / "parallel.yaml"), str(tmp_path / "again.yaml")
    assert main(["strategy", "export", ours, "--to", "mindformers", "--file", theirs]) == 0
    said = capsys.readouterr()
    assert said.out == f"{theirs}\n"
    assert "start it with 16 ranks" in said.err and "everything carried over" in said.err
    assert main(["strategy", "import", theirs, "--to", again]) == 0
    capsys.readouterr()
    found, expected = (yaml.safe_load(Path(file).read_text()) for file in (again, ours))
    assert found["recompute"]["layers"] == expected["recompute"]["layers"]
    assert found["pipeline"]["offset"] == expected["pipeline"]["offset"]
    assert {name: found["degrees"][name] for name in expected["degrees"]} == expected["degrees"]


def test_arguments_may_be_pasted_and_losses_are_told_beside_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = written(tmp_path, "strategy.yaml", STRATEGY.replace("[0, 1, 1, 0]", "[0, 0, 0, 0]"))
    assert main(["strategy", "export", ours, "--to", "megatron", "--model", "llama-3.1-8b"]) == 0
    said = capsys.readouterr()
    assert "--tensor-model-parallel-size 2 \\\n" in said.out
    assert "recompute.layers" in said.err and "[[1, 2, 3, 4]]" in said.err
    script = written(tmp_path, "args.sh", f"torchrun --nproc-per-node 16 pretrain_gpt.py \\\n{said.out}")
    assert main(["strategy", "import", script, "-o", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["imported"]
    assert found["framework"] == "megatron"
    assert found["strategy"]["degrees"]["dp"] == 2
    assert found["strategy"]["recompute"]["layers"] == [[4, 4, 4, 4]]


def test_somebodys_file_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theirs, machine = written(tmp_path, "their.yaml", THEIRS), written(tmp_path, "machine.yaml", MACHINE)
    assert main(["strategy", "import", theirs]) == 0
    said = capsys.readouterr()
    assert yaml.safe_load(said.out)["pipeline"]["offset"] == [[-1, 1, 0, 0]]
    assert yaml.safe_load(said.out)["vocab_parallel"] is False
    assert "runner_config  epochs" in said.err and "say which model it is with --model" in said.err
    command = ["strategy", "import", theirs, "--model", "llama-3.1-8b", "--machine", machine]
    assert main(command) == 0
    told = capsys.readouterr().err
    assert "memory of a rank" in told and "seconds of a step" in told and "fits 80" in told
    assert main([*command, "-o", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["opinion"]["memory"]["stages"]) == 4
    assert found["fits"] is True


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["--tensor-model-parallel-size", "two"], 2, "argument 1: found `--tensor-model-parallel-size` two"),
        (["no-such-file.yaml"], 2, "no-such-file.yaml: found"),
        (["their.yaml", "--model", "llama-3.1-405b"], 2, "found 32 layers, but 126 of `llama-3.1-405b`"),
        (["their.yaml", "--model", "llama"], 3, "found `llama`"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    argv: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "their.yaml", THEIRS)
    assert main(["strategy", "import", *argv]) == code
    found = capsys.readouterr()
    assert said in found.err and not found.out


def test_an_export_that_cannot_run_is_refused_by_its_degree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = written(tmp_path, "strategy.yaml", "kind: strategy\ndegrees: {dp: 2, tp: 2}\nzero_stage: 3\n")
    assert main(["strategy", "export", ours, "--to", "deepspeed"]) == 3
    assert "degrees.tp: found tp 2 with zero_stage 3" in capsys.readouterr().err


def test_help_names_the_configurations_that_are_translated() -> None:
    from ogai.commands.strategy.frameworks import FRAMEWORKS

    assert tuple(TABLES) == FRAMEWORKS

"""`ogai strategy dryrun`, as a person calls it."""

import json
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from l0_infra.core.documents import render_document
from l3_modeltools.frameworks import PRACTICES
from l3_modeltools.schemas import Degrees, Strategy, Workload
from ogai.commands.strategy.frameworks import PRACTISED
from ogai.main import main
from tests.support.tiny_models import FAMILIES


def written(folder: Path, *, has_workload: bool = True, **fields: object) -> str:
    """A strategy document of a small model over two stages of two copies."""
    workload = Workload(
        architecture=replace(FAMILIES["llama"], vocab_size=96), sequence_length=64, global_batch_size=8
    )
    strategy = Strategy(degrees=Degrees(dp=2, pp=2), workload=workload if has_workload else None)
    path = folder / "strategy.yaml"
    path.write_text(render_document(msgspec.structs.replace(strategy, **fields)))
    return str(path)


def test_a_program_gets_all_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["strategy", "dryrun", written(tmp_path), "--framework", "megatron", "--device", "h100-sxm-80"]
    assert main([*argv, "-o", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["run"]["world_size"] == 4
    assert [stage["layers"] for stage in found["run"]["stages"]] == [1, 1]
    assert found["missing_bytes"] == 0
    stage, formulas = found["run"]["stages"][0], found["by_formulas"][0]
    assert stage["peak"]["weights"] == formulas["weights"]
    assert sum(stage["peak"].values()) < found["needed_bytes"][0]
    sent = {(one["kind"], one["group"]) for one in stage["traffic"]}
    assert {("send", "pipeline"), ("receive", "pipeline"), ("all_reduce", "data")} <= sent


def test_a_person_sees_a_line_for_each_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategy", "dryrun", written(tmp_path), "--device", "h100-sxm-80"]) == 0
    told = capsys.readouterr()
    lines = told.out.splitlines()
    head = next(at for at, line in enumerate(lines) if line.split()[:2] == ["STAGE", "LAYERS"])
    assert [line.split()[:2] for line in lines[head + 1 : head + 3]] == [["0", "1"], ["1", "1"]]
    assert any(line.split()[0] == "all-reduce" for line in lines if line)
    assert "fits h100-sxm-80" in told.err
    assert max(map(len, lines)) <= 80


def test_what_does_not_fit_is_shown_and_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    large = replace(FAMILIES["llama"], hidden_size=32768, vocab_size=131072)
    workload = Workload(architecture=large, sequence_length=64, global_batch_size=8)
    path = written(tmp_path, workload=workload)
    assert main(["strategy", "dryrun", path, "--device", "a30"]) == 3
    told = capsys.readouterr()
    assert "STAGE" in told.out
    assert "a30" in told.err
    assert "optimizer" in told.err


@pytest.mark.parametrize(
    ("more", "code", "word"),
    [
        (["--device", "h1000"], 2, "h1000"),
        (["--with", "mindspore"], 3, "CANN"),
        (["--with", "trainer"], 3, "dp 2"),
        (["--with", "trainer", "--framework", "megatron"], 2, "megatron"),
    ],
)
def test_what_cannot_be_run_is_refused(
    more: list[str], code: int, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["strategy", "dryrun", written(tmp_path), *more]) == code
    told = capsys.readouterr()
    assert word in told.err
    assert not told.out


def test_a_strategy_says_what_it_is_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategy", "dryrun", written(tmp_path, has_workload=False)]) == 3
    assert "workload" in capsys.readouterr().err


def test_our_trainer_runs_dry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, degrees=Degrees())
    assert main(["strategy", "dryrun", path, "--with", "trainer", "-o", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["run"]["engine"] == "trainer"
    assert found["run"]["stages"][0]["operators"]


def test_help_names_every_practice_that_is_known() -> None:
    assert set(PRACTISED) == set(PRACTICES)

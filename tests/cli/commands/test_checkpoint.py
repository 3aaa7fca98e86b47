"""`ogai checkpoint`: what lies there is listed, damage ends with exit code 6, differences are told."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from l0_infra.core.documents import render_json
from l3_modeltools.checkpoint import Saver, Shelf
from l3_modeltools.schemas import Checkpointing, Run, Train, TrainerCommand
from ogai.main import main
from tests.support.checkpoints import a_checkpoint

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path))
    directory = tmp_path / "runs" / "mine-1"
    directory.mkdir(parents=True)
    train = Train(name="mine", framework="command", command=TrainerCommand(argv=("x",)))
    document = Run(run_id="mine-1", train=train, directory=str(directory), submitted_at=1.0)
    (directory / "run.json").write_text(render_json(document))
    return directory


def listed(capsys: Captured, *words: str, code: int = 0) -> list[dict[str, object]]:
    assert main(["checkpoint", *words, "-o", "json"]) == code
    rows: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return rows


def fill(run: Path) -> None:
    folder = run / "checkpoints"
    a_checkpoint(folder, 10)
    os.truncate(a_checkpoint(folder, 20) / "__0_0.distcp", 5)
    a_checkpoint(folder, 30, name="step-00000030.partial")
    a_checkpoint(folder, 5, name="step-00000005.damaged-1")


def test_every_checkpoint_is_listed_with_its_state(run: Path, capsys: Captured) -> None:
    fill(run)
    assert main(["checkpoint", "list", "mine-1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["STEP", "TOKENS", "SAVED", "SIZE", "RANKS", "STATE"]
    assert [line.split()[0] for line in lines[1:]] == ["5", "10", "20", "30"]
    assert lines[2].endswith("  sound")
    assert lines[3].endswith("  damaged: `__0_0.distcp` has 5 of 1,000 bytes")
    assert lines[4].endswith("  unfinished: half-written: its save did not end")


@pytest.mark.parametrize(
    "where",
    ["mine", ".", "checkpoints", "./checkpoints/step-00000010"],
    ids=["name", "run", "folder", "itself"],
)
def test_a_run_is_named_or_its_directories_are(
    run: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    a_checkpoint(run / "checkpoints", 10)
    monkeypatch.chdir(run)
    (row,) = listed(capsys, "list", where)
    assert (row["step"], row["state"], row["tokens"], row["run"]) == (10, "sound", 100, "r")


def test_a_run_without_any_is_no_error(run: Path, capsys: Captured) -> None:
    assert main(["checkpoint", "list", "mine-1"]) == 0
    assert capsys.readouterr() == ("", "no checkpoints of mine-1 yet\n")


def test_a_flipped_bit_ends_verify_with_six(run: Path, capsys: Captured) -> None:
    a_checkpoint(run / "checkpoints", 10)
    assert [row["state"] for row in listed(capsys, "verify", "mine-1")] == ["sound"]
    (run / "checkpoints" / "step-00000010" / "__0_0.distcp").write_bytes(b"\x01" * 1000)
    assert [row["state"] for row in listed(capsys, "list", "mine-1")] == ["sound"]
    assert [row["state"] for row in listed(capsys, "verify", "mine-1", code=6)] == ["damaged"]
    assert main(["checkpoint", "verify", "mine-1"]) == 6
    out, err = capsys.readouterr()
    assert "damaged: `__0_0.distcp` (1000 B) differs from its hash" in out
    assert "mine-1: found 1 damaged checkpoint: step 10; expected what the manifests say" in err


def test_a_flipped_bit_is_told_before_differences_are_looked_for(run: Path, capsys: Captured) -> None:
    index = a_checkpoint(run / "checkpoints", 10) / ".metadata"
    content = bytearray(index.read_bytes())
    content[0] ^= 1
    index.write_bytes(content)
    assert main(["checkpoint", "diff", "mine-1", "mine-1"]) == 6
    assert "differs from its hash" in capsys.readouterr().err


@pytest.mark.parametrize("where", ["~nobody-at-all/x", "n" * 300, f"./{'n' * 300}"])
def test_a_place_that_none_can_be_is_told(run: Path, capsys: Captured, where: str) -> None:
    assert main(["checkpoint", "list", where]) == 2
    assert "expected a run or a directory" in capsys.readouterr().err


def test_what_is_known_not_to_count_is_no_damage(run: Path, capsys: Captured) -> None:
    a_checkpoint(run / "checkpoints", 30, name="step-00000030.partial")
    a_checkpoint(run / "checkpoints", 5, name="step-00000005.damaged-1")
    assert len(listed(capsys, "verify", "mine-1")) == 2


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["list", "mien-1"], 2, "did you mean"),
        (["list", "./nowhere"], 2, "found no such directory"),
        (["diff", "mine-1@7", "mine-1"], 2, "found steps 10, 20; expected a directory, RUN@STEP or RUN"),
        (["diff", "mine-1@20", "mine-1"], 6, "has 5 of 1,000 bytes"),
    ],
    ids=["run", "directory", "step", "damaged"],
)
def test_what_is_not_there_is_told(
    run: Path, capsys: Captured, words: Sequence[str], code: int, told: str
) -> None:
    fill(run)
    assert main(["checkpoint", *words]) == code
    assert told in capsys.readouterr().err


def test_differences_are_told_tensor_by_tensor(run: Path, capsys: Captured) -> None:
    shelf = Shelf(run / "checkpoints")
    with Saver(shelf, run="mine-1", architecture_sha256="a" * 64, keep=Checkpointing()) as saver:
        saver.save({"w": torch.tensor([1.0, 4.0]), "b": torch.zeros(3)}, step=1, tokens=1)
        saver.save({"w": torch.tensor([1.0, 5.0]), "b": torch.zeros(3)}, step=2, tokens=2)
    assert main(["checkpoint", "diff", "mine-1@1", "mine-1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["w", "differs", "2", "1", "1", "0.25"],
        ["1", "equal,", "1", "differs"],
    ]
    rows = listed(capsys, "diff", "mine-1@1", str(shelf.place(2)))
    assert [(row["name"], row["verdict"], row["max_absolute"]) for row in rows] == [
        ("b", "equal", None),
        ("w", "differs", 1.0),
    ]
    assert main(["checkpoint", "diff", "mine-1@1", "mine-1@2", "--all"]) == 0
    assert "b      equal" in capsys.readouterr().out

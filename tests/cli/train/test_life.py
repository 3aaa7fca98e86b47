"""A run from its document to its exported model, through the real queue and torchrun."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.train.conftest import Ogai
from tests.support.world import eventually

pytestmark = pytest.mark.real


def shown(ogai: Ogai, run: str) -> dict[str, Any]:
    return json.loads(ogai("train", "show", run, "-o", "json").out)  # type: ignore[no-any-return]


def losses(ogai: Ogai, run: str) -> dict[int, float]:
    directory = Path(shown(ogai, run)["directory"])
    lines = map(json.loads, (directory / "metrics.jsonl").read_text().splitlines())
    return {line["step"]: line["loss"] for line in lines if "loss" in line}


def test_a_run_goes_from_its_document_to_an_exported_model(ogai: Ogai, training: Path) -> None:
    said = ogai("train", "submit", str(training), "--follow")
    assert said.code == 0, said.err
    assert said.out.startswith("small-1\n")
    assert "on this machine" in said.err and "COMPLETED: 12 steps" in said.err
    listed = json.loads(ogai("train", "list", "-o", "json").out)
    assert [(run["run_id"], run["state"], run["step"]) for run in listed] == [("small-1", "COMPLETED", 12)]
    found = losses(ogai, "small-1")
    assert sorted(found) == list(range(1, 13))
    assert found[12] < found[1] - 1
    told = ogai("train", "show", "small").out
    assert "ogai train export small-1" in told and "step 12" in told
    assert "done: 12 steps" in ogai("train", "logs", "small-1").out

    said = ogai("train", "sample", "small-1", "the fox", "--max-new-tokens", "4")
    assert said.code == 0, said.err
    assert said.out.startswith("the fox")
    said = ogai("train", "export", "small-1", "--to", "exported")
    assert said.code == 0, said.err
    assert Path(said.out.strip()) == Path("exported").absolute()
    assert Path("exported/config.json").exists() and Path("exported/tokenizer.json").exists()
    again = ogai("train", "export", "small-1", "--to", "exported")
    assert again.code == 2 and "something there already" in again.err

    refused = ogai("train", "resume", "small-1")
    assert refused.code == 2 and "COMPLETED" in refused.err


def test_a_stopped_run_goes_on_as_if_it_had_not_been_stopped(ogai: Ogai, training: Path) -> None:
    steps = (
        "--set",
        "steps=400",
        "--set",
        "checkpoint.every_steps=100",
        "--set",
        "validation.every_steps=400",
    )
    whole = ogai("train", "submit", str(training), "--follow", "--name", "whole", *steps)
    assert whole.code == 0, whole.err
    assert ogai("train", "submit", str(training), "--name", "cut", *steps).code == 0
    eventually(lambda: shown(ogai, "cut-1")["step"] >= 20, patience_s=120)
    stopped = ogai("train", "stop", "cut-1")
    run = shown(ogai, "cut-1")
    assert stopped.code == 0 and f"its state is saved at step {run['step']}" in stopped.err
    assert 20 <= run["step"] < 400
    assert run["state"] == "CANCELLED"
    assert [saved["step"] for saved in run["checkpoints"]][-1] == run["step"]
    said = ogai("train", "resume", "cut-1", "--follow")
    assert said.code == 0, said.err
    assert losses(ogai, "cut-1") == losses(ogai, "whole-1")
    compared = ogai("train", "compare", "cut-1", "whole-1")
    assert compared.code == 0 and "loss at" in compared.out

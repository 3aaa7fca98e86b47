"""What `ogai train submit` refuses: each wrong training by its line, with the nearest legal value; nothing is made."""

import json
import os
import shlex
from pathlib import Path

import pytest

from tests.cli.train.conftest import Ogai

pytestmark = pytest.mark.real

LLAMA = {
    "model_type": "llama",
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "vocab_size": 288,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
}
"""A config.json as Hugging Face writes it."""

CASES = Path(__file__).parents[2] / "cases" / "train_submit"


@pytest.fixture
def cases() -> list[tuple[str, int, list[str]]]:
    """Each line: what is typed behind the file ⇒ exit code ⇒ texts that must be said."""
    lines = [line.split(" => ") for line in (CASES / "refused.txt").read_text().splitlines()]
    return [(typed, int(code), said.split(" | ")) for typed, code, said in lines]


def test_a_wrong_training_is_told_with_what_would_be_right(
    ogai: Ogai, training: Path, cases: list[tuple[str, int, list[str]]]
) -> None:
    assert len(cases) >= 25
    bare = Path("bare")
    bare.mkdir()
    (bare / "config.json").write_text(json.dumps(LLAMA))
    wrong = []
    for typed, code, texts in cases:
        said = ogai("train", "submit", str(training), *shlex.split(typed))
        missing = [text for text in texts if text not in said.err]
        if said.code != code or missing or said.out or "Traceback" in said.err:
            wrong.append(f"{typed}: {said.code}, without {missing}: {said.err}")
    assert not wrong, "\n".join(wrong)
    assert ogai("train", "list", "-o", "json").out == "[]\n"
    assert ogai("job", "list", "--all", "-o", "json").out == "[]\n"


def test_a_fault_that_only_the_data_show_is_told_at_its_line(ogai: Ogai, training: Path) -> None:
    text = training.read_text().replace("vocab_size: 288", "vocab_size: 280")
    training.write_text(text)
    line = text.splitlines().index("  mixture: [{dataset: fables}]") + 1
    said = ogai("train", "submit", str(training))
    assert said.code == 2
    assert f"{training}:{line}:" in said.err and "280" in said.err and "288" in said.err


def test_what_this_machine_cannot_give_is_told_at_its_line_too(ogai: Ogai, training: Path) -> None:
    training.write_text(training.read_text() + "  memory_bytes_per_node: 50 MiB\n")
    line = len(training.read_text().splitlines())
    training.write_text(
        training.read_text().replace("resources: {tasks_per_node: 2}\n", "resources:\n  tasks_per_node: 2\n")
    )
    said = ogai("train", "submit", str(training))
    assert said.code == 3
    assert f"{training}:{line + 1}:" in said.err and "nearest: `memory_bytes_per_node: " in said.err


def test_nothing_to_read_is_told(ogai: Ogai, home: Path) -> None:
    said = ogai("train", "submit", "nothing.yaml")
    assert said.code == 2 and "no such file" in said.err
    assert ogai("train", "list").err == "no runs yet; the first: ogai train submit train.yaml\n"
    said = ogai("train", "show", "nobody")
    assert said.code == 2 and "no runs at all" in said.err


def test_a_rehearsal_changes_nothing(ogai: Ogai, training: Path) -> None:
    said = ogai("train", "submit", str(training), "--dry-run")
    assert said.code == 0, said.err
    assert "nothing was queued" in said.err
    assert list((Path(os.environ["OGAI_HOME"]) / "runs").iterdir()) == []
    assert ogai("job", "list", "--all", "-o", "json").out == "[]\n"


def test_a_run_whose_document_is_damaged_is_told_not_hidden(ogai: Ogai, home: Path) -> None:
    directory = home / "runs" / "torn-1"
    directory.mkdir(parents=True)
    (directory / "run.json").write_text("{")
    said = ogai("train", "list")
    assert said.code == 0 and "torn-1" in said.err
    said = ogai("train", "show", "torn-1")
    assert said.code == 6 and "cannot be read" in said.err

"""The command line in a home of its own, with a small corpus beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ogai.main import main
from tests.support.corpora import text_of, write_lines

CORPUS = """\
kind: corpus
name: letters
sources:
  - {type: jsonl, files: "*.jsonl"}
tokenizer: {type: bpe, vocab_size: 300}
validation_share: 0.2
"""


@dataclass(frozen=True, slots=True)
class Said:
    """What one command line left: its exit code and what it wrote."""

    code: int
    out: str
    err: str


Ogai = Callable[..., Said]


@pytest.fixture
def ogai(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Ogai:
    """Run `ogai` with these words, in a folder with `corpus.yaml` and 80 texts."""
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "a.jsonl", [{"text": text_of(number)} for number in range(80)])
    (tmp_path / "corpus.yaml").write_text(CORPUS, encoding="utf-8")

    def run(*words: str) -> Said:
        code = main(words)
        captured = capfd.readouterr()
        return Said(code, captured.out, captured.err)

    return run

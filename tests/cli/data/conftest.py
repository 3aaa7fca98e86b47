"""The command line in a home of its own, with a small corpus beside it."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from l0_infra.core.documents import read_document
from l3_modeltools.data import prepare_dataset
from l3_modeltools.schemas import Corpus
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
    lay_out(tmp_path)

    def run(*words: str) -> Said:
        code = main(words)
        captured = capfd.readouterr()
        return Said(code, captured.out, captured.err)

    return run


def lay_out(folder: Path) -> Path:
    """Write `corpus.yaml` and its 80 texts; return the file."""
    write_lines(folder / "a.jsonl", [{"text": text_of(number)} for number in range(80)])
    (folder / "corpus.yaml").write_text(CORPUS, encoding="utf-8")
    return folder / "corpus.yaml"


@pytest.fixture(scope="session")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data set of `corpus.yaml`, prepared once; not to be changed."""
    base = tmp_path_factory.mktemp("letters")
    corpus = read_document(lay_out(base), expect=Corpus)
    prepare_dataset(corpus, base / "letters", base=base, workers=1, report=lambda _: None)
    return base / "letters"


@pytest.fixture
def shelved(letters: Path, tmp_path: Path) -> Path:
    """A copy of that data set where `ogai` keeps its own."""
    return Path(shutil.copytree(letters, tmp_path / "home" / "datasets" / "letters"))

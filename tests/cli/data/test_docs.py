"""What docs/data.md shows is true: its document is sound, its commands can be typed."""

import re
import shlex
from pathlib import Path

from l0_infra.core.documents import parse_document
from l3_modeltools.data.prepare.tokenizer import SPECIAL_TOKENS
from l3_modeltools.schemas import Corpus
from ogai.failure import ClickGrammar
from ogai.main import build
from ogai.suggest import command_path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")


def test_its_document_is_sound() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert parse_document(text, source="docs/data.md", expect=Corpus).name == "notes"


def test_its_commands_can_be_typed() -> None:
    grammar = ClickGrammar(build())
    lines = re.findall(r"^(ogai .*?)(?:  .*)?$", PAGE, re.MULTILINE) + re.findall(
        r"`(ogai data [^`]*)`", PAGE
    )
    for line in lines:
        words = tuple(shlex.split(line)[1:])
        path = command_path(words, grammar)
        assert path and not grammar.names(path), line
        assert {word for word in words if word.startswith("--")} <= set(grammar.options(path)), line


def test_it_names_the_special_tokens() -> None:
    assert [token for token in SPECIAL_TOKENS if f"`{token}`" not in PAGE] == []


def test_the_corpus_of_the_demo_is_sound() -> None:
    text = (ROOT / "examples" / "tiny_llama" / "corpus.yaml").read_text(encoding="utf-8")
    assert parse_document(text, source="corpus.yaml", expect=Corpus).name == "python-stdlib"

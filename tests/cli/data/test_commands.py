"""`ogai data` as a person types it."""

import json
import os
from pathlib import Path

import pytest

import ogai as api
from l3_modeltools.schemas import BytePairs, JsonLines
from tests.cli.data.conftest import CORPUS, Ogai
from tests.support.corpora import text_of


def test_a_data_set_is_prepared_listed_inspected_and_verified(ogai: Ogai, tmp_path: Path) -> None:
    done = ogai("data", "prepare", "corpus.yaml", "--workers", "1")
    assert done.code == 0 and "letters" in done.out and "encode 100%" in done.err
    again = ogai("data", "prepare", "corpus.yaml")
    assert (again.code, again.out) == (0, done.out)
    assert again.err == "letters is there already, made from the same\n"

    listed = ogai("data", "list").out.splitlines()
    assert listed[1].split()[:3] == ["letters", "text", "80"]
    manifest = json.loads(ogai("data", "inspect", "letters", "-o", "json").out)
    assert manifest["kind"] == "dataset" and manifest["unigram_entropy_nats"] > 2
    assert json.loads(ogai("data", "list", "-o", "json").out) == [manifest]

    shown = ogai("data", "inspect", str(tmp_path / "home" / "datasets" / "letters"), "--show", "2").out
    assert shown.count("── document") == 2 and text_of(0)[:20] in shown
    pieces = ogai("data", "inspect", "letters", "--show", "1", "--tokens").out
    assert pieces.count("│") > 20 and text_of(0)[:20] in pieces.replace("│", "")

    assert ogai("data", "verify", "letters").out.startswith("letters is sound: 7 files")
    assert [one.dataset.name for one in api.data.poll()] == ["letters"]


def test_what_changed_is_told_and_replacing_keeps_the_earlier(ogai: Ogai, tmp_path: Path) -> None:
    ogai("data", "prepare", "corpus.yaml")
    changed = ("data", "prepare", "corpus.yaml", "--set", "validation_share=0.1")
    refused = ogai(*changed)
    assert refused.code == 2 and "`validation_share` was 0.2, is 0.1" in refused.err
    replaced = ogai(*changed, "--replace")
    assert (
        replaced.code == 0 and f"the earlier one is kept: {tmp_path}/home/datasets/letters.1" in replaced.err
    )
    assert [line.split()[0] for line in ogai("data", "list").out.splitlines()[1:]] == ["letters", "letters.1"]


@pytest.mark.parametrize(
    ("name", "damage", "said"),
    [
        ("train-00000.bin", b"\xff", "content of another hash"),
        ("train-00000.idx", None, "no such file or directory"),
        ("tokenizer/tokenizer.json", b"[", "content of another hash"),
        ("validation-00000.bin", b"", "0 bytes; the manifest says"),
    ],
)
def test_damage_is_found_and_named(
    ogai: Ogai, shelved: Path, name: str, damage: bytes | None, said: str
) -> None:
    path = shelved / name
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage + path.read_bytes()[1:] if damage else b"")
    found = ogai("data", "verify", "letters")
    assert found.code == 6 and str(path) in found.err and said in found.err


def test_a_damaged_one_hides_no_other_from_the_list(ogai: Ogai, shelved: Path) -> None:
    (shelved / "train-00000.idx").unlink()
    for name in ("broken", "piped"):
        (shelved.parent / name).mkdir()
    (shelved.parent / "broken" / "dataset.json").write_text("{")
    os.mkfifo(shelved.parent / "piped" / "dataset.json")
    listed = ogai("data", "list")
    assert listed.code == 0 and listed.out.splitlines()[1].startswith("letters")
    assert (
        "broken/dataset.json: found" in listed.err
        and "piped/dataset.json: found no regular file" in listed.err
    )


def test_missing_files_are_told_at_their_line(ogai: Ogai, tmp_path: Path) -> None:
    (tmp_path / "corpus.yaml").write_text(CORPUS.replace("*.jsonl", "*.json"), encoding="utf-8")
    refused = ogai("data", "prepare", "corpus.yaml")
    assert refused.code == 2
    assert refused.err.startswith("error: corpus.yaml:4:26: found no file that matches `*.json`")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("inspect", "leters"), 3, "no data set `leters`"),
        (("prepare", "corps.yaml"), 2, "did you mean `corpus.yaml`?"),
        (("prepare", "corpus.yaml", "--set", "tokenizer.vocab_size=90000"), 3, "pairs for"),
        (("prepare", "corpus.yaml", "--set", "quality.min_characters=9999999"), 3, "no document to keep"),
        (("verify", "./nowhere"), 3, "no such file"),
    ],
)
def test_what_cannot_be_done_is_refused(ogai: Ogai, words: tuple[str, ...], code: int, said: str) -> None:
    refused = ogai("data", *words)
    assert (refused.code, refused.out) == (code, "") and said in refused.err


def test_an_empty_shelf_says_what_to_do(ogai: Ogai) -> None:
    assert ogai("data", "list").err == "no data sets yet; the first: ogai data prepare corpus.yaml\n"


def test_from_python_a_corpus_needs_no_file(ogai: Ogai, tmp_path: Path) -> None:
    sources = (JsonLines(files="*.jsonl"),)
    corpus = api.data.Corpus(name="plain", sources=sources, tokenizer=BytePairs(vocab_size=280))
    done = api.data.prepare(corpus, workers=1)
    assert done.manifest == tmp_path / "home" / "datasets" / "plain" / "dataset.json"
    assert api.data.verify("plain").faults == ()

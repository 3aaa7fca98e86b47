"""Killed at any moment, a prepare goes on from there and ends with the same bytes; a full disk is told."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.corpora import files_of, text_of, write_lines

ROOT = Path(__file__).parents[4]
CORPUS = """
kind: corpus
name: books
sources: [{type: jsonl, files: "*.jsonl"}]
tokenizer: {type: bpe, vocab_size: 400}
deduplicate: {near: {}}
validation_share: 0.1
shard_tokens: 50000
"""

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kills")
    for number in range(4):
        rows = [{"text": text_of(number * 1000 + row, words=250)} for row in range(350)]
        write_lines(folder / f"{number}.jsonl", [*rows, *rows[:9]])
    (folder / "corpus.yaml").write_text(CORPUS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def undisturbed(base: Path) -> tuple[float, dict[str, bytes]]:
    """How long it takes, and what comes of it."""
    began = time.monotonic()
    assert prepare(base, base / "undisturbed").wait(120) == 0
    return time.monotonic() - began, files_of(base / "undisturbed" / "datasets" / "books")


def prepare(base: Path, home: Path, before: str = "") -> "subprocess.Popen[bytes]":
    """Start `ogai data prepare` with a home of its own."""
    environment = {**os.environ, "OGAI_HOME": str(home), "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
    command = f"{before} exec {sys.executable} -m ogai data prepare {base / 'corpus.yaml'} --workers 2"
    with (base / f"{home.name}.log").open("ab") as log:
        return subprocess.Popen(["bash", "-c", command], env=environment, stdout=log, stderr=log)


@pytest.mark.parametrize("share", [0.4, 0.6, 0.8])
def test_killed_it_goes_on_and_ends_with_the_same_bytes(
    base: Path, undisturbed: tuple[float, dict[str, bytes]], share: float
) -> None:
    seconds, expected = undisturbed
    home = base / f"killed-{share}"
    first = prepare(base, home)
    time.sleep(seconds * share)
    first.kill()
    first.wait()
    assert prepare(base, home).wait(120) == 0
    assert files_of(home / "datasets" / "books") == expected
    assert [path.name for path in (home / "datasets").iterdir() if "preparing" in path.name] == []


def test_killed_again_and_again_it_still_gets_there(
    base: Path, undisturbed: tuple[float, dict[str, bytes]]
) -> None:
    seconds, expected = undisturbed
    home = base / "again"
    for round_ in range(40):
        process = prepare(base, home)
        try:
            code = process.wait(seconds * (0.4 + 0.02 * round_))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            continue
        assert code == 0
        break
    assert files_of(home / "datasets" / "books") == expected


def test_a_killed_worker_is_told_and_costs_its_part_only(
    base: Path, undisturbed: tuple[float, dict[str, bytes]]
) -> None:
    home = base / "worker"
    process = prepare(base, home)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None and not (workers := children.read_text().split()):
        time.sleep(0.01)
    os.kill(int(workers[0]), 9)
    assert process.wait(60) == 5
    assert "its end by signal SIGKILL" in (base / "worker.log").read_text()
    assert prepare(base, home).wait(120) == 0
    assert files_of(home / "datasets" / "books") == undisturbed[1]


def test_a_disk_without_room_is_told_and_the_rest_is_done_later(
    base: Path, undisturbed: tuple[float, dict[str, bytes]]
) -> None:
    home = base / "full"
    assert prepare(base, home, before="ulimit -f 100;").wait(60) == 5
    said = (base / "full.log").read_text()
    assert "no space left" in said and "the same command goes on from there" in said
    assert prepare(base, home).wait(120) == 0
    assert files_of(home / "datasets" / "books") == undisturbed[1]

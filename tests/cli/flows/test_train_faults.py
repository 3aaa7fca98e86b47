"""A log of any length is read from its end, from a file and from standard input."""

import io
import json
import sys
from pathlib import Path

import pytest

from ogai.flows.train.faults import TAIL_BYTES, read_tail
from ogai.main import main

FULL = "OSError: [Errno 28] No space left on device: '/x'"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def test_the_end_of_a_long_log_is_kept_with_its_line_numbers() -> None:
    line = b"x" * 99 + b"\n"
    count = 5 * TAIL_BYTES // len(line)
    tail = read_tail([*(line for _ in range(count)), b"last"])
    assert tail.lines[-1] == "last" and tail.before + len(tail.lines) == count + 1
    assert sum(len(line) + 1 for line in tail.lines) == TAIL_BYTES + 1


def test_a_file_means_what_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(b"step 1 loss 3\n\xff\xfe\n" + FULL.encode() + b"\n")
    assert main(["train", "faults", "--log", str(log), "-o", "json"]) == 0
    meaning = json.loads(capsys.readouterr().out)
    assert (meaning["fault_class"], meaning["error"]["name"], meaning["line_number"]) == (
        "storage_full",
        "disk-full",
        3,
    )


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"all is well\n")))
    assert main(["train", "faults", "--log", "-"]) == 0
    out = capsys.readouterr().out
    assert "unknown" in out and "errors.yaml" in out


def test_a_persons_own_entries_are_read(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "errors.yaml").write_text(
        "kind: error_catalogue\nerrors:\n  - {name: tap, fault_class: crash, advised: pause, "
        'texts: ["the tap * drips"], explanation: It drips., hint: Close it.}\n'
    )
    (tmp_path / "a.log").write_text("12:00 the tap of hall 3 drips\n")
    assert main(["train", "faults", "--log", str(tmp_path / "a.log")]) == 0
    assert "Close it." in capsys.readouterr().out
    (home / "errors.yaml").write_text("kind: error_catalogue\nerrors:\n  - {name: tap}\n")
    assert main(["train", "faults", "--log", str(tmp_path / "a.log")]) == 2
    assert "errors.yaml:3:5: found no `fault_class`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "found neither of them"),
        (["small-1", "--log", "x"], "found both"),
        (["--log", "/nowhere/x.log"], "no such file"),
    ],
)
def test_wrong_uses_are_told(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "faults", *words]) == 2
    assert said in capsys.readouterr().err

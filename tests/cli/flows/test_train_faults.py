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


def told(
    log: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[str, str]:
    """Return what is said about a log that comes on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log)))
    assert main(["train", "faults", "--log", "-", *words]) == 0
    said = capsys.readouterr()
    return said.out, said.err


def test_of_a_healthy_log_it_is_said_how_much_was_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = told(b"all is well\nstep 1 loss 3\n", monkeypatch, capsys)
    assert out == "nothing in 2 lines looks like a fault\n"
    assert "errors.yaml" not in err and "dmesg" in err
    assert told(b"", monkeypatch, capsys)[0] == "the log is empty\n"
    assert told(b"step 1", monkeypatch, capsys)[0] == "nothing in 1 line looks like a fault\n"
    assert json.loads(told(b"step 1\n", monkeypatch, capsys, "-o", "json")[0])["fault_class"] is None
    line = b"step 1 loss 3".ljust(99) + b"\n"
    long = told(line * 100_000, monkeypatch, capsys)[0]
    assert long == "nothing in the last 20,972 of 100,000 lines looks like a fault\n"


def test_an_unknown_error_is_shown_with_how_to_teach_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = told(b"step 1 loss 3\nlustre-client: request 17 timed out\n", monkeypatch, capsys)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[:2] == ["Class unknown", "line 2 lustre-client: request 17 timed out"]
    assert "errors.yaml" in out and err == ""


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
        (["--log", "/"], "found a directory; expected a log that can be read"),
        (["--log", "/etc/passwd/x"], "found a file where a directory must be"),
        (["--log", ""], "--log: found an empty word; expected the name of a file"),
        ([""], "RUN: found an empty word; expected the id of a run"),
    ],
)
def test_wrong_uses_are_told(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "faults", *words]) == 2
    assert said in capsys.readouterr().err

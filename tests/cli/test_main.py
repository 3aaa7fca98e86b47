"""Every way a command can end becomes the right exit code and words, and stdout carries the result only."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from ogai.main import main
from tests.cli.stub_commands import STUBS

ROOT = Path(__file__).parents[2]

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("way", "code", "words"),
    [
        ("engine", 5, ["error: queue.db: found a locked file; expected the lock", "hint: try again"]),
        ("unhealthy", 6, ["error: node n1: found 7 accelerators; expected 8", "hint: reseat it"]),
        ("stopped", 130, ["ogai end: job 7 goes on"]),
        ("ctrl-c", 130, ["ogai end ctrl-c: what was done so far stands"]),
        (
            "document",
            2,
            [
                "error: pod.yaml:3:4: found `x`; expected a number (write 3)\n",
                "error: b[1]: found nothing; expected a name\n",
                "2 faults in pod.yaml",
            ],
        ),
    ],
)
def test_a_failure_is_told(way: str, code: int, words: list[str], capsys: Capture) -> None:
    assert main(["end", way], table=STUBS) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    for text in words:
        assert text in err


def test_a_defect_leaves_its_traceback_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.delenv("OGAI_DEBUG", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["end", "defect"], table=STUBS) == 70
    err = capsys.readouterr().err
    (file,) = tmp_path.iterdir()
    assert "ZeroDivisionError: by nought" in err
    assert str(file) in err
    assert "Traceback" not in err
    assert "Traceback" in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o077 == 0


def test_a_defect_shows_its_traceback_on_request(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("OGAI_DEBUG", "1")
    assert main(["end", "defect"], table=STUBS) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_missing_module_is_named(capsys: Capture) -> None:
    assert main(["absent"], table=STUBS) == 3
    err = capsys.readouterr().err
    assert "ogai absent: found no Python module `tests.cli.no_such_module`" in err
    assert "ogai doctor" in err


def test_help_and_version_need_no_module(capsys: Capture) -> None:
    assert main(["--help"], table=STUBS) == 0
    assert "Is not there." in capsys.readouterr().out
    assert main(["--version"], table=STUBS) == 0
    assert capsys.readouterr().out.startswith("ogai ")


def test_nothing_typed_shows_help_on_stderr(capsys: Capture) -> None:
    assert main([], table=STUBS) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Commands:" in err


def test_a_plan_is_not_agreed_to_by_a_pipe(capsys: Capture) -> None:
    assert main(["end", "confirm"], table=STUBS) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "would format everything" in err
    assert "hint: add --yes" in err
    assert main(["end", "confirm", "--yes"], table=STUBS) == 0
    assert capsys.readouterr().out == "formatted\n"


@pytest.mark.parametrize(
    ("environ", "label"), [({}, "\x1b[31m\x1b[1merror:"), ({"NO_COLOR": "1"}, "error: ogai")]
)
def test_a_terminal_gets_colour_unless_it_is_not_wanted(environ: dict[str, str], label: str) -> None:
    ours, theirs = pty.openpty()
    base = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}", "TERM": "xterm"}
    done = subprocess.run(
        [sys.executable, "-m", "ogai", "xyzzy"], stderr=theirs, env=base | environ, timeout=30, check=False
    )
    os.close(theirs)
    assert done.returncode == 2
    assert os.read(ours, 65536).decode().startswith(label)
    os.close(ours)


FLOOD = "import sys; from ogai.main import main; from tests.cli.stub_commands import STUBS; "
FLOOD += "sys.exit(main(['end', 'flood'], table=STUBS))"


def test_a_reader_that_leaves_early_is_no_failure() -> None:
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
    with subprocess.Popen(
        [sys.executable, "-c", FLOOD], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"0\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=30) == 141


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (
            ["job", "list", "-o"],
            "error: ogai job list: found option '-o' requires an argument; expected ogai job list",
        ),
        (["completion"], "found missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish; expected"),
        (["job", "wait", "1", "--timeout", "5x"], "hint: see: ogai job wait --help"),
        (["job", "prune", "--older-than", "x"], "hint: see: ogai job prune --help"),
    ],
)
def test_a_complaint_about_a_value_names_the_command(typed: list[str], words: str, capsys: Capture) -> None:
    assert main(typed) == 2
    assert words in capsys.readouterr().err

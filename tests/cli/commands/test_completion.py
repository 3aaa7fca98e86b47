"""The shell's side of completion: the script, its place, and the answers it gets."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ogai.main import main

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert f"_OGAI_COMPLETE={shell}_complete" in capsys.readouterr().out


def test_installing_twice_is_installing_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "fish/completions/ogai.fish"
    for said in ("installed", "already there"):
        assert main(["completion", "fish", "--install"]) == 0
        out, err = capsys.readouterr()
        assert out == f"{path}\n"
        assert said in err


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        ("ogai d", {"data", "device", "doctor"}),
        ("ogai doctor --o", {"--output"}),
        ("ogai schema example clu", {"cluster", "cluster_state"}),
        ("ogai job submit jo", {"jo"}),
        ("ogai job submit --cpus 2 -- python tra", {"tra"}),
    ],
)
def test_the_shell_gets_its_answers(typed: str, answers: set[str]) -> None:
    environ = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}",
        "_OGAI_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "ogai"], env=environ, capture_output=True, text=True, timeout=30, check=True
    )
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == answers

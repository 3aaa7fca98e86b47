"""Times on the command line are read as everywhere, and a wrong one is refused before anything begins."""

from pathlib import Path

import click
import pytest

from ogai.commands.cluster.arguments import DURATION
from ogai.commands.cluster.members import remove
from ogai.commands.cluster.up import up
from ogai.commands.cluster.upgrade import upgrade
from ogai.main import main


@pytest.mark.parametrize(
    ("command", "name", "seconds"),
    [(up, "silence_s", 900), (remove, "wait_s", 3600), (upgrade, "wait_s", 86400)],
)
def test_what_is_not_said_has_its_usual_time(command: click.Command, name: str, seconds: float) -> None:
    (option,) = (one for one in command.params if one.name == name)
    assert DURATION.convert(option.default, option, None) == seconds


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["up", "pod.yaml", "--host-timeout", "soon"], "--host-timeout"),
        (["remove", "n1", "--wait", "-5"], "--wait"),
        (["upgrade", "--wait", "10:00"], "--wait"),
        (["watch", "--every", "often"], "--every"),
    ],
)
def test_what_is_no_time_is_refused_by_its_option(
    words: list[str],
    option: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    assert main(["cluster", *words]) == 2
    assert capsys.readouterr().err.startswith(f"error: {option}: found")

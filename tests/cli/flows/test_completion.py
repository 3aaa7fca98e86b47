"""A completion script lands where its shell looks, once."""

from pathlib import Path

import pytest

from l0_infra.core.errors import UnsatisfiableError
from ogai.flows.completion import SHELLS, plan_place, save

HOME = Path("/home/ann")


def test_each_shell_has_its_place() -> None:
    places = {shell: str(plan_place(shell, {}, HOME).path) for shell in SHELLS}
    assert places == {
        "bash": "/home/ann/.local/share/bash-completion/completions/ogai",
        "zsh": "/home/ann/.local/share/zsh/site-functions/_ogai",
        "fish": "/home/ann/.config/fish/completions/ogai.fish",
    }
    moved = {"XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"}
    assert str(plan_place("fish", moved, HOME).path) == "/c/fish/completions/ogai.fish"
    assert "/d/zsh/site-functions" in plan_place("zsh", moved, HOME).instruction


def test_saving_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a/b/ogai"
    assert save("one", path)
    before = path.stat()
    assert not save("one", path)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert save("two", path)
    assert path.read_text(encoding="utf-8") == "two"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(UnsatisfiableError) as caught:
        save("one", tmp_path / "a/ogai")
    assert caught.value.where == str(tmp_path / "a/ogai")

"""Roles are read with all that they do, and their hash changes with any of it."""

import shutil
from pathlib import Path

import pytest

from l0_infra.core.errors import EngineError
from l0_infra.roles import load_roles

CASES = Path(__file__).parents[2] / "cases/apply/roles"


def test_sheets_defaults_and_handlers_are_read() -> None:
    sheets = {sheet.role.name: sheet for sheet in load_roles(CASES)}
    assert list(sheets) == ["frame", "ground", "roof"]
    assert sheets["ground"].handlers == ("Count a start",)
    assert sheets["ground"].defaults["ground_text"] == '"earth"' and sheets["frame"].handlers == ()


def test_any_file_of_a_role_changes_its_hash_and_no_readme_does(tmp_path: Path) -> None:
    shutil.copytree(CASES / "ground", tmp_path / "ground")
    (before,) = load_roles(tmp_path)
    (tmp_path / "ground/README.md").write_text("words")
    assert load_roles(tmp_path)[0].sha256 == before.sha256
    tasks = tmp_path / "ground/tasks/main.yml"
    tasks.write_text(f"{tasks.read_text()}\n")
    assert load_roles(tmp_path)[0].sha256 != before.sha256


def test_a_sheet_of_another_name_is_refused(tmp_path: Path) -> None:
    shutil.copytree(CASES / "ground", tmp_path / "cellar")
    with pytest.raises(EngineError, match="the name `ground`; expected `cellar`"):
        load_roles(tmp_path)

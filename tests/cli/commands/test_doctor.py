"""`ogai doctor` as a person and as a program see it."""

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from ogai.main import main


def _installed() -> bool:
    try:
        return bool(distribution("ogai"))
    except PackageNotFoundError:
        return False


installed = pytest.mark.skipif(not _installed(), reason="ogai is not installed in this environment")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path))
    return tmp_path


@installed
def test_programs_get_a_document(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "-o", "json"]) == 0
    out, err = capsys.readouterr()
    diagnosis = json.loads(out)
    assert err == ""
    assert diagnosis["home"]["path"] == str(home)
    extras = {extra["name"]: extra for extra in diagnosis["extras"]}
    assert extras[""]["ready"]
    assert {package["name"].lower() for package in extras[""]["packages"]} >= {"click", "msgspec", "pyyaml"}
    assert extras["cluster"]["command"].endswith("'ogai[cluster]'")


@installed
def test_people_get_whole_lines(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")][:3] == ["Machine", "Accelerators", "Tools"]
    assert any(line.split()[:2] == ["home", str(home)] for line in lines)


@pytest.mark.skipif(_installed(), reason="ogai is installed in this environment")
def test_from_bare_source_the_mend_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 4
    assert "pip install -e ." in capsys.readouterr().err

"""One lab of two hosts for all tests that need real ones."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import ogai
from tests.support.labs import RealLab, skip_without_lab

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealLab]:
    """Bring it up in an OGAI_HOME of its own, and leave nothing of it."""
    skip_without_lab()
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("OGAI_HOME", str(home))
        patch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'cli'}")
        real = RealLab(name=f"t-{os.getpid()}", home=home)
        try:
            yield real.up(nodes=2)
        finally:
            real.down()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a test an OGAI_HOME of its own; whatever it leaves is taken down."""
    skip_without_lab()
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'cli'}")
    yield tmp_path / "home"
    for name in ogai.lab.names():
        ogai.lab.down(name)

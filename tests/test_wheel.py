"""What is shipped: all six packages, their types, their schema files, the command; and nothing else."""

import subprocess
import sys
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("l0_infra", "l1_podsys", "l2_scheduler", "l3_modeltools", "l4_multimodel", "ogai")

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(find_spec("hatchling") is None, reason="the build backend hatchling is not installed"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (path,) = folder.glob("ogai-*.whl")
    return ZipFile(path)


def test_it_holds_every_file_of_every_package(wheel: ZipFile) -> None:
    names = set(wheel.namelist())
    for package in PACKAGES:
        folder = ROOT / ("cli/ogai" if package == "ogai" else package)
        assert f"{package}/py.typed" in names
        files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
        shipped = [
            path for path in files if not any(part.startswith((".", "__pycache__")) for part in path.parts)
        ]
        assert {f"{package}/{path}" for path in shipped} <= names


def test_nothing_else_lands_among_the_users_packages(wheel: ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_it_brings_the_command_the_extras_and_the_licence(wheel: ZipFile) -> None:
    (info,) = {name.partition("/")[0] for name in wheel.namelist() if ".dist-info/" in name}
    assert b"ogai = ogai.main:main" in wheel.read(f"{info}/entry_points.txt")
    metadata = Parser().parsestr(wheel.read(f"{info}/METADATA").decode())
    assert metadata["License-Expression"] == "Apache-2.0"
    assert set(metadata.get_all("Provides-Extra", [])) >= {"cluster", "dev"}
    assert f"{info}/licenses/LICENSE" in wheel.namelist()

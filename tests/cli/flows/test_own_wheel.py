"""The wheel that nodes get is the ogai that runs here: the same bytes for the same code, and pip installs it."""

import os
import subprocess
import sys
import tomllib
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

from ogai.flows.wheel import own_wheel
from ogai.flows.wheel.metadata import about_checkout
from ogai.flows.wheel.own import KEPT, PACKAGES
from ogai.flows.wheel.pack import content_digest, pack_wheel

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def metadata(wheel: Path) -> dict[str, list[str]]:
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(archive.read(name).decode())
    fields = ("Name", "Version", "Requires-Python", "Requires-Dist", "Provides-Extra", "License-Expression")
    return {field: sorted(plain(field, text) for text in told.get_all(field, [])) for field in fields}


def plain(field: str, text: str) -> str:
    """Write a requirement without what may be written in several ways."""
    if field != "Requires-Dist":
        return text
    from packaging.requirements import Requirement

    wanted = Requirement(text)
    where = str(wanted.marker or "").replace("(", "").replace(")", "")
    return f"{wanted.name.lower()}{wanted.specifier} {sorted(where.split(' and '))}"


def test_the_same_code_is_the_same_path_and_the_same_bytes(tmp_path: Path) -> None:
    one, two = own_wheel(tmp_path / "one"), own_wheel(tmp_path / "two")
    assert one.relative_to(tmp_path / "one") == two.relative_to(tmp_path / "two")
    assert one.read_bytes() == two.read_bytes()
    before = one.stat().st_mtime_ns
    assert own_wheel(tmp_path / "one") == one and one.stat().st_mtime_ns == before


def test_another_content_is_another_path() -> None:
    files = {"a.py": b"1", "b.py": b""}
    assert content_digest(files) == content_digest(dict(reversed(files.items())))
    others = (
        {"a.py": b"2", "b.py": b""},
        {"a.py": b"1"},
        {"a.py": b"", "b.py": b"1"},
        {"a.pyb": b"1", "b.py": b""},
    )
    assert len({content_digest(files), *map(content_digest, others)}) == 5
    assert pack_wheel(files, "x-1.dist-info") == pack_wheel(dict(reversed(files.items())), "x-1.dist-info")


def test_it_holds_the_packages_of_the_project_whole(tmp_path: Path) -> None:
    folders = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert [Path(folder).name for folder in folders] == list(PACKAGES)
    names = set(ZipFile(own_wheel(tmp_path)).namelist())
    for folder in folders:
        above = (ROOT / folder).parent
        files = [path.relative_to(above) for path in (ROOT / folder).rglob("*") if path.is_file()]
        shipped = {path.as_posix() for path in files if not set(path.parts) & {"__pycache__"}}
        assert shipped <= names
    assert not [name for name in names if "__pycache__" in name or "/." in name]


@pytest.mark.real
@pytest.mark.skipif(find_spec("hatchling") is None, reason="the build backend hatchling is not installed")
def test_it_says_of_itself_what_the_build_backend_says(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (built,) = tmp_path.glob("*.whl")
    assert metadata(own_wheel(tmp_path)) == metadata(built)


@pytest.mark.real
def test_pip_installs_it_and_what_is_installed_packs_the_same(tmp_path: Path) -> None:
    wheel, target = own_wheel(tmp_path), tmp_path / "installed"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        str(target),
    ]
    subprocess.run([*pip, str(wheel)], check=True)
    environment = {**os.environ, "PYTHONPATH": str(target)}

    def said(*words: str) -> str:
        argv = [sys.executable, *words]
        done = subprocess.run(argv, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert said("-m", "ogai", "--version") == f"ogai {wheel.name.split('-')[1]}"
    program = "import sys, ogai; from pathlib import Path; from ogai.flows.wheel import own_wheel; "
    program += "print(ogai.__file__); print(own_wheel(Path(sys.argv[1])))"
    file, again = said("-c", program, str(tmp_path / "again")).splitlines()
    assert file.startswith(str(target))
    assert Path(again).read_bytes() == wheel.read_bytes()


def test_old_ones_go_from_the_cache(tmp_path: Path) -> None:
    cache = tmp_path / "cache/wheels"
    for age in range(5):
        (cache / f"old{age}").mkdir(parents=True)
        os.utime(cache / f"old{age}", (1000 - age, 1000 - age))
    own = own_wheel(tmp_path).parent.name
    assert {path.name for path in cache.iterdir()} == {own, *(f"old{age}" for age in range(KEPT - 1))}


@pytest.mark.parametrize("text", [None, "[tool.x]\n", '[project]\nname = "another"\n'])
def test_another_project_around_it_is_not_taken_for_ours(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text)
    assert about_checkout(tmp_path, "1.0") is None

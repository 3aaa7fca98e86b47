"""The script that makes the Python environment on the shared storage: a real venv, a wheel, no network."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ogai.flows.wheel.pack import pack_wheel, wheel_name

SCRIPT = Path(__file__).parents[3] / "l1_podsys/ansible/roles/runtime/files/environment.sh"

pytestmark = pytest.mark.real


def wheel(folder: Path, *, release: str) -> None:
    about = f"demo_thing-{release}.dist-info"
    with zipfile.ZipFile(folder / f"demo_thing-{release}-py3-none-any.whl", "w") as file:
        file.writestr("demo_thing.py", f"release = '{release}'\n")
        file.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: demo-thing\nVersion: {release}\n")
        file.writestr(
            f"{about}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        file.writestr(f"{about}/RECORD", "")


def own_wheel(tmp_path: Path, *, says: str, needs: str = "") -> str:
    """Put a wheel called ogai where the role puts it; return its name."""
    about = "ogai-0.1.0.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: ogai\nVersion: 0.1.0\n{needs and f'Requires-Dist: {needs}' + chr(10)}"
    )
    files = {
        "ogai_here.py": f"def main():\n    print({says!r})\n",
        f"{about}/METADATA": metadata,
        f"{about}/entry_points.txt": "[console_scripts]\nogai = ogai_here:main\n",
    }
    store = tmp_path / "runtime.d"
    store.mkdir(exist_ok=True)
    name = wheel_name("ogai", "0.1.0")
    (store / name).write_bytes(pack_wheel({path: text.encode() for path, text in files.items()}, about))
    return name


def make(tmp_path: Path, wanted: str | None = None, own: str = "") -> subprocess.CompletedProcess[str]:
    """Run the script with `python3` and its pip as they are, but for settings of this machine."""
    store = tmp_path / "runtime.d"
    store.mkdir(exist_ok=True)
    if wanted is not None:
        (store / "requirements.txt").write_text(wanted)
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PIP_")}
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["sh", str(SCRIPT), str(tmp_path / "runtime"), own, str(tmp_path), ""],
        env={**kept, "PATH": programs, "PIP_CONFIG_FILE": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )


def release_of(tmp_path: Path) -> str:
    python = tmp_path / "runtime/bin/python"
    told = subprocess.run(
        [python, "-c", "import demo_thing; print(demo_thing.release)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout.strip()


def test_it_is_made_once_replaced_whole_and_the_last_two_stay(tmp_path: Path) -> None:
    for release in ("1.0", "2.0", "3.0"):
        wheel(tmp_path, release=release)
    assert make(tmp_path, "demo-thing==1.0\n").stdout == "changed\n"
    first = (tmp_path / "runtime").resolve()
    assert (make(tmp_path).stdout, release_of(tmp_path)) == ("", "1.0")

    assert make(tmp_path, "demo-thing==2.0\n").stdout == "changed\n"
    assert release_of(tmp_path) == "2.0"
    assert (first / "whole").exists(), "what runs keeps the environment it started with"

    assert make(tmp_path, "demo-thing==3.0\n").stdout == "changed\n"
    assert not first.exists()
    assert make(tmp_path).stdout == "", "what is wanted is still there after the old was cleared away"


def test_what_cannot_be_installed_leaves_the_old_one_in_place(tmp_path: Path) -> None:
    wheel(tmp_path, release="1.0")
    make(tmp_path, "demo-thing==1.0\n")
    failed = make(tmp_path, "demo-thing==9.9\n")
    assert failed.returncode != 0
    assert "9.9" in failed.stderr
    assert release_of(tmp_path) == "1.0"


def test_a_folder_that_somebody_else_made_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir()
    refused = make(tmp_path, "")
    assert refused.returncode == 1
    assert "a folder that ogai did not make" in refused.stderr


def ogai_of(tmp_path: Path) -> str:
    return subprocess.run(
        [tmp_path / "runtime/bin/ogai", "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_ogai_is_installed_with_what_it_needs_and_anew_only_when_it_is_another(tmp_path: Path) -> None:
    wheel(tmp_path, release="1.0")
    name = own_wheel(tmp_path, says="ogai one", needs="demo-thing")
    assert make(tmp_path, "", name).stdout == "changed\n"
    assert (ogai_of(tmp_path), release_of(tmp_path)) == ("ogai one", "1.0")
    assert make(tmp_path, None, name).stdout == ""
    own_wheel(tmp_path, says="ogai two", needs="demo-thing")
    assert make(tmp_path, None, name).stdout == "changed\n"
    assert ogai_of(tmp_path) == "ogai two", "the same version with another content"


def test_where_what_ogai_needs_cannot_be_had_it_is_said_first_and_with_the_mend(tmp_path: Path) -> None:
    failed = make(tmp_path, "", own_wheel(tmp_path, says="ogai", needs="demo-thing"))
    first, *rest = failed.stderr.splitlines()
    assert failed.returncode == 1 and not (tmp_path / "runtime").exists()
    assert f"from the folder {tmp_path}; expected runtime.requirements and what ogai needs" in first
    assert f"pip download -d FOLDER {tmp_path}/runtime.d/ogai-0.1.0-py3-none-any.whl" in first
    assert any("No matching distribution found for demo-thing" in line for line in rest)


def test_an_ogai_that_does_not_start_is_not_put_in_place(tmp_path: Path) -> None:
    name = own_wheel(tmp_path, says="ogai one")
    make(tmp_path, "", name)
    about = "ogai-0.1.0.dist-info"
    broken = {
        "ogai_here.py": b"import no_such_thing\n",
        f"{about}/METADATA": b"Metadata-Version: 2.1\nName: ogai\nVersion: 0.1.0\n",
        f"{about}/entry_points.txt": b"[console_scripts]\nogai = ogai_here:main\n",
    }
    (tmp_path / "runtime.d" / name).write_bytes(pack_wheel(broken, about))
    assert "no_such_thing" in make(tmp_path, None, name).stderr
    assert ogai_of(tmp_path) == "ogai one"

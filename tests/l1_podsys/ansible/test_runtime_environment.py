"""The script that makes the Python environment on the shared storage: a real venv, a wheel, no network."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

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


def make(tmp_path: Path, wanted: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the script with `python3` and its pip as they are, but for settings of this machine."""
    store = tmp_path / "runtime.d"
    store.mkdir(exist_ok=True)
    if wanted is not None:
        (store / "requirements.txt").write_text(wanted)
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PIP_")}
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["sh", str(SCRIPT), str(tmp_path / "runtime"), "", str(tmp_path), ""],
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

"""The cluster becomes known to the database once, also when the controller says so in the same moment."""

import os
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

SCRIPT = Path(str(files("l1_podsys"))) / "ansible/roles/slurm_controller/files/register.sh"
SACCTMGR = """#!/bin/sh
case "$*" in
*"add cluster"*)
    [ ! -e "$PLAY/late" ] || { mv "$PLAY/late" "$PLAY/known"; echo "This cluster $4 already exists." >&2; exit 1; }
    echo "$4" >>"$PLAY/known" ;;
*) cat "$PLAY/known" ;;
esac
"""


def register(folder: Path, known: str, *, late: str = "") -> "subprocess.CompletedProcess[str]":
    for name, text in (("sacctmgr", SACCTMGR), ("known", known)):
        (folder / name).write_text(text)
    if late:
        (folder / "late").write_text(late)
    (folder / "sacctmgr").chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "PLAY": str(folder)}
    return subprocess.run(
        ["sh", str(SCRIPT), "pod"], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("known", "told"), [("", "changed\n"), ("pod2\n", "changed\n"), ("pod\n", "")])
def test_it_is_added_where_it_is_not_known(tmp_path: Path, known: str, told: str) -> None:
    done = register(tmp_path, known)
    assert (done.returncode, done.stdout) == (0, told)
    assert "pod" in (tmp_path / "known").read_text().splitlines()


def test_a_controller_that_was_quicker_is_no_failure(tmp_path: Path) -> None:
    done = register(tmp_path, "", late="pod\n")
    assert (done.returncode, done.stdout) == (0, "")

"""The script that makes a cluster known to Slurm's database, while slurmctld may do the same."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "l1_podsys/ansible/roles/slurm_controller/files/register.sh"

pytestmark = pytest.mark.real

ADDED = 'echo pod >>"$KNOWN"; echo " Adding Cluster(s)"'
EARLIER = 'echo pod >>"$KNOWN"; echo " This cluster pod already exists.  Not adding."; exit 1'


def register(folder: Path, add: str, known: str = "") -> "subprocess.CompletedProcess[str]":
    """Run it with a `sacctmgr` that shows what is in a file and adds as it is told."""
    (folder / "known").write_text(known)
    program = folder / "sacctmgr"
    program.write_text(f'#!/bin/sh\ncase "$*" in *show*) cat "$KNOWN" ;; *) {add} ;; esac\n')
    program.chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "KNOWN": str(folder / "known")}
    return subprocess.run(
        ["sh", str(SCRIPT), "pod"], env=environment, capture_output=True, text=True, check=False
    )


def test_it_is_added_once(tmp_path: Path) -> None:
    first = register(tmp_path, ADDED, "another\n")
    assert (first.returncode, first.stdout) == (0, "changed\n")
    assert (tmp_path / "known").read_text() == "another\npod\n"
    again = register(tmp_path, ADDED, "pod\n")
    assert (again.returncode, again.stdout) == (0, "")


def test_one_that_slurmctld_adds_meanwhile_is_no_failure(tmp_path: Path) -> None:
    told = register(tmp_path, EARLIER)
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")

"""Nodes at work are not dropped from slurm.conf: the script that looks, with `squeue` and the file played."""

import os
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

SCRIPT = Path(str(files("l1_podsys"))) / "ansible/roles/slurm_controller/files/dropped.sh"
CONF = "ClusterName=pod\nNodeName=n1 NodeAddr=10.0.0.2 CPUs=8\nNodeName=n10 CPUs=8\nPartitionName=main Nodes=ALL\n"
SQUEUE = """#!/bin/sh
for word; do case $word in --nodelist=*) echo "${word#--nodelist=}" >>"$PLAY/asked" ;; esac; done
cat "$PLAY/busy"
"""


def drop(
    folder: Path, *names: str, conf: str | None = CONF, busy: str = ""
) -> subprocess.CompletedProcess[str]:
    (folder / "squeue").write_text(SQUEUE)
    (folder / "squeue").chmod(0o755)
    (folder / "busy").write_text(busy)
    file = folder / "slurm.conf"
    if conf is not None:
        file.write_text(conf)
    script = SCRIPT.read_text().replace("/etc/slurm/slurm.conf", str(file))
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "PLAY": str(folder)}
    return subprocess.run(
        ["sh", "-s", "--", *names],
        input=script,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("names", [("n1", "n10"), ("n1", "n10", "n2")])
def test_nobody_is_asked_while_all_stay(tmp_path: Path, names: tuple[str, ...]) -> None:
    assert drop(tmp_path, *names, busy="n1\n").returncode == 0
    assert not (tmp_path / "asked").exists()


def test_there_may_be_no_list_yet(tmp_path: Path) -> None:
    assert drop(tmp_path, "n1", conf=None).returncode == 0


def test_idle_nodes_may_leave_and_only_they_are_asked_for(tmp_path: Path) -> None:
    assert drop(tmp_path, "n10").returncode == 0
    assert (tmp_path / "asked").read_text() == "n1\n"


def test_a_node_at_work_may_not_leave(tmp_path: Path) -> None:
    refused = drop(tmp_path, busy="n10\n")
    assert refused.returncode == 1
    assert "found work on n10 while n1,n10 are about to leave the list" in refused.stderr

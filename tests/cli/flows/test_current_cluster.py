"""Who submits work is told in one line where it runs, and nothing about it can fail."""

import os
from pathlib import Path

import pytest

from l0_infra.core.errors import UnsatisfiableError
from l1_podsys import ClusterPlace, make_current
from l1_podsys.schemas import Cluster, NodeGroup, Scheduler
from ogai.flows.current_cluster import current_cluster
from ogai.flows.train.place import find_place
from ogai.main import main
from ogai.render.current_cluster import tell_place


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path))
    return tmp_path


def keep(home: Path, scheduler: Scheduler) -> ClusterPlace:
    place = ClusterPlace(home=home, name="pod1")
    place.prepare()
    nodes = (NodeGroup(names="n[1-4]", roles=("head", "compute")),)
    place.save(Cluster(name="pod1", nodes=nodes, scheduler=scheduler))
    return place


def told(capsys: pytest.CaptureFixture[str]) -> str:
    tell_place(current_cluster(os.environ))
    found = capsys.readouterr()
    assert found.out == ""
    return found.err


def test_without_a_cluster_nothing_needs_to_be_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys) == ""


def test_a_cluster_with_slurm_is_not_submitted_to_yet(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(home, Scheduler())
    assert told(capsys) == (
        "cluster pod1 (Slurm, 4 nodes) is current; ogai does not submit to Slurm yet: this runs on this machine\n"
    )


def test_a_cluster_without_one_is_named_too(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(home, Scheduler(engine="local"))
    assert told(capsys) == "cluster pod1 (local, 4 nodes) is current: this runs on this machine\n"


def test_what_is_damaged_or_gone_is_no_cluster(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = keep(home, Scheduler())
    (place.folder / "summary.json").write_text("{")
    assert told(capsys) == ""
    make_current(home, "gone")
    assert told(capsys) == ""


def test_submitting_says_it_and_keeps_stdout_clean(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(home, Scheduler())
    assert main(["job", "submit", "--dry-run", "-o", "json", "--", "true"]) == 0
    found = capsys.readouterr()
    assert found.out.startswith("{") and "pod1 (Slurm, 4 nodes) is current" in found.err


def test_doctor_names_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    assert "none is current" in capsys.readouterr().out
    keep(home, Scheduler())
    assert main(["doctor"]) == 0
    assert "pod1 (Slurm, 4 nodes) is current; jobs run on this machine" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "why"), [("pod1", "does not submit"), ("pod2", "no such cluster")])
def test_a_training_is_not_sent_to_a_cluster(home: Path, name: str, why: str) -> None:
    keep(home, Scheduler())
    with pytest.raises(UnsatisfiableError, match=why):
        find_place(name)

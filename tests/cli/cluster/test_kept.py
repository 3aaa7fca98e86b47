"""The clusters that are kept here: listed with what is known, chosen by name, and no broken one in the way."""

import json
from pathlib import Path

import pytest

from l0_infra import Ledger, RunRecord
from l0_infra.core.documents import parse_document
from l1_podsys import ClusterPlace
from l1_podsys.schemas import Cluster, Health, Verdict
from ogai.main import main

POD = """
kind: cluster
name: {name}
nodes:
  - {{names: "n[1-3]", roles: [head, compute]}}
scheduler: {{engine: {engine}}}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path))
    return tmp_path


def a_place(home: Path, name: str, engine: str = "slurm") -> ClusterPlace:
    place = ClusterPlace(home=home, name=name)
    place.prepare()
    place.save(parse_document(POD.format(name=name, engine=engine), source="pod", expect=Cluster))
    return place


def listed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    assert main(["cluster", "list", "-o", "json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_the_list_shows_what_is_known(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = a_place(home, "pod1")
    a_place(home, "desk", engine="local")
    verdict = Verdict(node="n2", check="disk.full", severity="critical", found="99 %", expected="less")
    health = Health(cluster="pod1", level="quick", checked_at=5.0, verdicts=(verdict,))
    place.save_health(health, ["n1", "n2"])
    with Ledger.at(place.ledger) as ledger:
        ledger.begin_run(RunRecord(id="r1", what="up", began_at=7.0))
        ledger.end_run("r1", 9.0, "done")
    desk, pod = listed(capsys)
    assert (desk["name"], desk["current"], desk["scheduler"]) == ("desk", True, "local")
    assert (pod["nodes"], pod["scheduler"], pod["applied_at"], pod["applied"]) == (3, "slurm", 7.0, "done")
    assert pod["health"] == {"not checked": 2, "critical": 1} and pod["checked_at"] == 5.0


def test_another_is_chosen_by_name(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a_place(home, "pod1")
    a_place(home, "pod2")
    assert main(["cluster", "use", "pod1"]) == 0
    assert capsys.readouterr().out == "pod1 is the current cluster (slurm, 3 nodes)\n"
    assert [one["current"] for one in listed(capsys)] == [True, False]


def test_one_that_is_not_here_is_refused_and_the_current_stays(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a_place(home, "pod1")
    assert main(["cluster", "use", "pod9"]) == 2
    assert "expected one of pod1" in capsys.readouterr().err
    assert listed(capsys)[0]["current"] is True


def test_a_broken_document_hides_no_other(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a_place(home, "pod1")
    a_place(home, "pod2").document.write_text("kind: cluster\n")
    assert main(["cluster", "list"]) == 0
    told = capsys.readouterr()
    assert "pod1" in told.out and "pod2" in told.out and "cluster.yaml" in told.err


def test_none_is_said_on_stderr(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "list"]) == 0
    told = capsys.readouterr()
    assert told.out == "" and "ogai cluster up" in told.err

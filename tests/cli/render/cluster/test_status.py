"""What a person reads of how a cluster was left."""

import pytest

from l0_infra import RunRecord
from l1_podsys.schemas import Verdict
from ogai.flows.cluster import NodeStatus, Status
from ogai.render.cluster.status import print_status


def a_status() -> Status:
    held = [
        NodeStatus(name=name, state="failed", roles=("compute",), done=3, trouble="base: no room")
        for name in ("n1", "n2")
    ]
    return Status(
        cluster="pod",
        controller="head",
        folder="/kept/pod",
        nodes=(NodeStatus(name="head", state="ready", roles=("controller", "head"), done=9), *held),
        runs=(RunRecord(id="r1", what="up", began_at=60.0, ended_at=3720.0, outcome="failed"),),
        faults=tuple(
            Verdict(node=name, check="disk.full", severity="critical", found="/ full", expected="room")
            for name in ("n1", "n2")
        ),
        mend="ogai cluster up --limit n[1-2]",
    )


def test_like_troubles_are_told_once_below_the_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    print_status(a_status())
    table, _, after = capsys.readouterr().out.partition("n[1-2]: ")
    assert [line.split()[0] for line in table.splitlines()] == ["NODE", "head", "n1", "n2"]
    assert after.splitlines()[:2] == ["base: no room", "n[1-2]: disk.full: / full"]
    assert after.splitlines()[-1] == "next: ogai cluster up --limit n[1-2]"


def test_a_run_says_how_it_ended_and_how_long_it_took(capsys: pytest.CaptureFixture[str]) -> None:
    print_status(a_status())
    assert "up: failed after 1h1m  (r1)" in capsys.readouterr().out

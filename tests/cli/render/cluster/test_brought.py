"""What a person reads of a plan, on the way, and of its end."""

import pytest

from l0_infra import Progress
from ogai.flows.cluster import Brought, NodeBrought, Trouble
from ogai.render.cluster.brought import print_brought
from ogai.render.cluster.plan import plan_text
from ogai.render.cluster.progress import showing
from tests.cli.cluster.test_waves import everybody, prepared

Captured = pytest.CaptureFixture[str]


def test_a_plan_says_who_gets_what_and_why() -> None:
    lines = plan_text(prepared(everybody() - {"n00004"})).splitlines()
    assert lines == [
        "t: 11 nodes, 10 steps to do, 1 hold already",
        "  base  head,n[00001-00003,00005-00010]  changed",
    ]


def a_failure() -> Brought:
    common = {"name": "base", "task": "Install packages", "message": "no room\nleft"}
    failed = [Trouble(node=node, state="failed", log=f"/log/{node}", **common) for node in ("n1", "n2")]
    own = [Trouble(node="n1", name="time", state="held", message="waits for base on n1, which failed")]
    waiting = [
        Trouble(node=node, name=name, state="held", message="waits for base on n1, which failed")
        for node in ("n3", "n4")
        for name in ("names", "users")
    ]
    return Brought(
        cluster="pod",
        run="r",
        seconds=1.0,
        nodes=(
            NodeBrought(name="n1", state="failed", failed=1),
            NodeBrought(name="n3", state="held", held=2),
        ),
        troubles=(*failed, *own, *waiting),
    )


def test_like_failures_are_told_once_with_what_waits_for_them(capsys: Captured) -> None:
    print_brought(a_failure())
    told = capsys.readouterr().out
    _, _, after = told.partition("\n\n")
    assert after.splitlines() == [
        "n[1-2]: base failed, at `Install packages`",
        "    no room",
        "    left",
        "    log: /log/n1",
        "",
        "n[3-4]: names, users: waits for base on n1, which failed",
    ]


def test_in_a_pipe_each_end_is_a_line(capsys: Captured) -> None:
    with showing({"n1": 2}) as take:
        take(Progress(node="n1", name="base", state="begun"))
        take(Progress(node="n1", name="base", state="task", task="base : Install"))
        take(Progress(node="n1", name="base", state="done", seconds=2.5, changed=3))
        take(Progress(node="n1", name="time", state="failed", task="time : Write", message="no\nroom"))
    assert capsys.readouterr().err.splitlines() == [
        "n1 base: done in 2.5 s, 3 changed",
        "n1 time: failed at time : Write: no",
    ]


def test_what_a_node_says_cannot_steer_the_terminal(capsys: Captured) -> None:
    with showing({"n1": 1}) as take:
        take(Progress(node="n1", name="base", state="failed", message="\x1b[2Jgone"))
    assert capsys.readouterr().err == "n1 base: failed: \\x1b[2Jgone\n"

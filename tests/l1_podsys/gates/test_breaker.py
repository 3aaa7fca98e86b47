"""Who is drained and given back: only our own drains are lifted, and too many at once trip the breaker."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l1_podsys.gates import decide_drains
from l1_podsys.schemas import Gates, Verdict
from l1_podsys.slurm import SlurmNode
from tests.l1_podsys.gates.scenes import slurm_node

OURS = "ogai:gate {}: was bad (kim, 2026-12-01T02:00:00Z)"


def found(node: str, check: str, severity: str = "critical") -> Verdict:
    return Verdict(node=node, check=check, severity=severity, found="this", expected="that")  # type: ignore[arg-type]


def drained(name: str, reason: str, by: str = "root") -> SlurmNode:
    return slurm_node(name, "IDLE+DRAIN", reason=reason, reason_by=by)


def test_a_node_that_fails_is_drained_with_the_checks_that_found_it() -> None:
    verdicts = [found("a", "disk.full"), found("a", "time.offset"), found("b", "disk.full", "warning")]
    decision = decide_drains(Gates(), verdicts, ["a", "b"], [slurm_node("a"), slurm_node("b")])
    assert decision.drain == {"a": "disk.full,time.offset: this"}
    assert [(one.node, one.change, one.owner) for one in decision.changes()] == [("a", "drained", "gate")]


@pytest.mark.parametrize("check", ["scheduler.node", "scheduler.state", "scheduler.controller"])
def test_what_the_scheduler_says_itself_drains_nobody(check: str) -> None:
    assert decide_drains(Gates(), [found("a", check)], ["a"], [slurm_node("a")]).drain == {}


def test_what_is_unknown_drains_nobody() -> None:
    assert decide_drains(Gates(), [found("a", "disk.full", "unknown")], ["a"], [slurm_node("a")]).drain == {}


def test_a_node_that_is_no_compute_node_or_unknown_to_the_scheduler_is_left_out() -> None:
    verdicts = [found("head", "disk.full"), found("new", "disk.full")]
    assert decide_drains(Gates(), verdicts, ["new"], [slurm_node("head")]).drain == {}


@pytest.mark.parametrize("reason", ["by hand", "ogai:kim fan (kim, 2026-12-01T02:00:00Z)"])
def test_anothers_drain_stays_whether_or_not_our_checks_pass(reason: str) -> None:
    for severity in ("ok", "critical"):
        verdicts = [found("a", "disk.full", severity)]
        decision = decide_drains(Gates(), verdicts, ["a"], [drained("a", reason, "ada")])
        assert (decision.drain, decision.lift) == ({}, ())
        assert [one.change for one in decision.kept] == ["kept"]


@pytest.mark.parametrize(
    ("codes", "verdicts", "lifted"),
    [
        ("disk.full", [("disk.full", "ok")], True),
        ("disk.full", [("disk.full", "warning")], True),
        ("disk.full", [("disk.full", "unknown")], False),
        ("disk.full", [("time.offset", "ok")], False),
        ("disk.full,cpu.speed", [("disk.full", "ok")], False),
        ("disk.full,cpu.speed", [("disk.full", "ok"), ("cpu.speed", "ok")], True),
        ("disk.full", [("disk.full", "ok"), ("time.offset", "critical")], False),
        ("node.kernel-fatal", [("node.rules", "ok")], True),
        ("node.kernel-fatal", [("node.reachable", "ok")], False),
        ("class.memory", [("class.equal", "ok")], True),
        ("node.reachable", [("node.reachable", "ok")], True),
        ("node.reachable", [("node.rules", "ok")], False),
    ],
)
def test_our_drain_is_lifted_by_the_checks_that_set_it(
    codes: str, verdicts: list[tuple[str, str]], lifted: bool
) -> None:
    made = [found("a", check, severity) for check, severity in verdicts]
    decision = decide_drains(Gates(), made, ["a"], [drained("a", OURS.format(codes))])
    assert decision.lift == (("a",) if lifted else ())


@given(
    total=st.integers(1, 60),
    failing=st.integers(0, 60),
    share=st.floats(0.01, 1.0),
    count=st.integers(1, 10),
)
def test_the_breaker_trips_by_the_larger_of_share_and_count(
    total: int, failing: int, share: float, count: int
) -> None:
    failing = min(failing, total)
    names = [f"n{index}" for index in range(total)]
    decision = decide_drains(
        Gates(breaker_share=share, breaker_count=count),
        [found(name, "disk.full") for name in names[:failing]],
        names,
        [slurm_node(name) for name in names],
    )
    allowed = failing <= max(count, int(share * total))
    assert len(decision.drain) == (failing if allowed else 0)
    assert bool(decision.breaker) == (not allowed)


def test_nodes_that_are_drained_already_count_for_the_breaker() -> None:
    verdicts = [found(name, "disk.full") for name in ("a", "b", "c")]
    nodes = [
        drained("a", OURS.format("disk.full")),
        drained("b", OURS.format("disk.full")),
        slurm_node("c"),
        *(slurm_node(f"x{index}") for index in range(7)),
    ]
    decision = decide_drains(Gates(), verdicts, [node.name for node in nodes], nodes)
    assert decision.drain == {} and "3 nodes of 10" in decision.breaker

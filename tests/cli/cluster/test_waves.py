"""Which nodes an upgrade takes out of work together, and that the first wave with a sick node is the last."""

from dataclasses import replace
from pathlib import Path

import pytest

from l0_infra import Left
from l0_infra.schemas import Plan, RunCommand, Step
from l1_podsys import ClusterPlace
from ogai.flows.cluster.prepare import Prepared
from ogai.flows.cluster.upgrade import waves_of
from tests.support.scripted_clusters import ROLES, a_cluster


def prepared(due: set[str], nodes: int = 10) -> Prepared:
    cluster = a_cluster(nodes)
    names = ("head", *(f"n{index:05}" for index in range(1, nodes + 1)))
    steps = tuple(
        Step(id=f"{name}:base", node=name, reason="r", action=RunCommand(argv=("true",)), key=name)
        for name in names
    )
    return Prepared(
        cluster=cluster,
        place=ClusterPlace(home=Path("/nowhere"), name="pod"),
        roles=ROLES,
        controller="head",
        names=names,
        plan=Plan(title="t", steps=steps),
        left=Left(reasons={f"{name}:base": "changed" for name in due}),
    )


def everybody(nodes: int = 10) -> set[str]:
    return {"head", *(f"n{index:05}" for index in range(1, nodes + 1))}


@pytest.mark.parametrize(("share", "size"), [(0.1, 1), (0.25, 2), (0.5, 5), (1.0, 10), (0.01, 1)])
def test_the_controller_goes_first_and_then_a_share_at_a_time(share: float, size: int) -> None:
    first, *others = waves_of(prepared(everybody()), frozenset(), share)
    assert first == ["head"]
    assert max(map(len, others)) == size and sum(map(len, others)) == 10


def test_only_nodes_with_something_left_and_those_drained_before_are_due() -> None:
    assert list(waves_of(prepared({"n00003"}), frozenset(), 0.1)) == [["n00003"]]
    assert list(waves_of(prepared(set()), frozenset({"n00007"}), 0.1)) == [["n00007"]]
    assert list(waves_of(prepared(set()), frozenset(), 0.1)) == []


def test_a_controller_that_is_as_wished_is_left_alone() -> None:
    assert list(waves_of(replace(prepared({"n00001", "n00002"})), frozenset(), 1.0)) == [["n00001", "n00002"]]

"""In which order a node gets its roles: what others wait for first, and what only watches after all that work needs."""

from pathlib import Path

import pytest

from l0_infra import load_roles, role_folder
from l0_infra.apply.board import Board, ready_batches
from l0_infra.schemas import WATCHING, Outcome, Plan, Role
from l1_podsys import BringupScene, cluster_members, controller_name, plan_bringup
from l1_podsys.schemas import Cluster, NodeGroup, Storage

ROLES = [sheet.role for sheet in load_roles(role_folder("l1_podsys"))]
MONITORING = {"node_exporter", "prometheus"}
CLUSTER = Cluster(
    name="pod",
    nodes=(
        NodeGroup(names="head", roles=("head", "login", "compute")),
        NodeGroup(names="n[1-2]", roles=("compute",)),
    ),
    storage=(Storage(mountpoint="/shared", filesystem="existing"),),
)


def plan_of(roles: list[Role]) -> Plan:
    scene = BringupScene(
        cluster=CLUSTER,
        members=cluster_members(CLUSTER),
        controller=controller_name(CLUSTER),
        roles=roles,
        key_of=lambda node, role, variables: f"{node} {role}",
        secrets=Path("/secrets"),
    )
    return plan_bringup(scene, ["head", "n1", "n2"])


def order_on(node: str) -> list[str]:
    return [step.id.partition(":")[2] for step in plan_of(ROLES).steps if step.node == node]


@pytest.mark.parametrize("node", ["head", "n1"])
def test_what_only_watches_comes_last(node: str) -> None:
    order = order_on(node)
    count = len(MONITORING & set(order))
    assert set(order[-count:]) == MONITORING & set(order)
    assert {role.name for role in ROLES if role.turn >= WATCHING} == MONITORING


def test_on_the_controller_what_other_nodes_wait_for_comes_before_what_takes_long() -> None:
    order = order_on("head")
    for name in ("names", "storage", "slurm_controller", "users"):
        assert order.index(name) < order.index("slurm_node") < order.index("runtime")


def test_nothing_waits_for_what_only_watches() -> None:
    assert not [
        role.name for role in ROLES if MONITORING & {*role.after, *role.after_controller} - {role.name}
    ]


def test_a_node_is_given_it_after_all_else_that_can_begin() -> None:
    board = Board(plan_of(ROLES).steps)
    (first,) = (batch for batch in ready_batches(board) if "head" in batch.steps)
    assert set(first.names[-2:]) == MONITORING


def test_a_role_of_an_early_turn_that_waits_for_a_late_one_comes_after_it() -> None:
    def role(name: str, turn: int, *after: str) -> Role:
        return Role(name=name, reason="r", on=("all",), after=after, turn=turn, outcome=Outcome())

    plan = plan_of([role("early", 0, "late"), role("late", 2), role("other", 1)])
    assert [step.id for step in plan.steps if step.node == "n1"] == ["n1:other", "n1:late", "n1:early"]

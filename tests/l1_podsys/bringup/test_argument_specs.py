"""What the plans pass to roles and what the roles say they take are the same, both ways."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from l0_infra import Provisioned, RoleSheet, load_roles, plan_provision, role_folder, things_of
from l0_infra.schemas import ApplyRole, Packages, Time, Tuning
from l1_podsys import BringupScene, Trait, cluster_members, controller_name, plan_bringup
from l1_podsys.schemas import Cluster, NodeGroup, Runtime, Storage, User

PROVISION, BRINGUP = (load_roles(role_folder(name)) for name in ("l0_infra", "l1_podsys"))
SHEETS: Mapping[str, RoleSheet] = {sheet.role.name: sheet for sheet in (*PROVISION, *BRINGUP)}
CLUSTER = Cluster(
    name="pod",
    nodes=(
        NodeGroup(names="head", roles=("head", "login"), addresses="10.0.0.1"),
        NodeGroup(names="n[1-2]", roles=("compute",), addresses="10.0.0.[2-3]"),
    ),
    storage=(Storage(mountpoint="/shared", filesystem="nfs", server_node="head", source="/export"),),
    users=(User(name="ada", uid=2000),),
    runtime=Runtime(containers="podman"),
)

LOOKED_UP = re.compile(r"lookup\('ansible\.builtin\.(file|template)', '([^']+)'")
FOLDERS = {"file": "files", "template": "templates"}


def passed() -> dict[str, list[ApplyRole]]:
    members, lead = cluster_members(CLUSTER), controller_name(CLUSTER)
    wish = Provisioned(lead=lead, lead_address="10.0.0.1", time=Time(), tuning=Tuning(), packages=Packages())
    scene = BringupScene(
        cluster=CLUSTER,
        members=members,
        controller=lead,
        roles=[sheet.role for sheet in BRINGUP],
        key_of=lambda node, role, variables: f"{node} {role}",
        secrets=Path("/secrets"),
        identity="5f",
        traits={name: Trait(address=str(one.node.address)) for name, one in members.items()},
    )
    others = [sheet.role.name for sheet in PROVISION]
    plans = (
        plan_provision(list(members), wish, PROVISION),
        plan_bringup(scene, list(members), others=others),
    )
    for plan in plans:
        things_of(plan, SHEETS)
    actions: dict[str, list[ApplyRole]] = {}
    for step in (step for plan in plans for step in plan.steps):
        if isinstance(step.action, ApplyRole):
            actions.setdefault(step.action.role, []).append(step.action)
    return actions


def options_of(role: str) -> dict[str, Any]:
    text = (SHEETS[role].folder / "meta/argument_specs.yml").read_text()
    return dict(yaml.safe_load(text)["argument_specs"]["main"]["options"])


@pytest.mark.parametrize("role", sorted(SHEETS))
def test_a_role_takes_what_it_is_given_and_is_given_what_it_needs(role: str) -> None:
    options = options_of(role)
    required = {name for name, option in options.items() if option.get("required")}
    for action in passed()[role]:
        assert action.variables.keys() <= options.keys()
        assert required <= action.variables.keys()


@pytest.mark.parametrize("role", sorted(SHEETS))
def test_what_is_not_required_has_a_default_and_nothing_else_has(role: str) -> None:
    options = options_of(role)
    optional = {name for name, option in options.items() if not option.get("required")}
    assert SHEETS[role].defaults.keys() == optional
    assert all(name.startswith(f"{role}_") for name in options)


def test_no_compute_node_is_told_of_another() -> None:
    for actions in passed().values():
        for action in actions:
            text = " ".join(action.variables.values())
            told = [address for address in ("10.0.0.2", "10.0.0.3") if address in text]
            assert len(told) < 2 or action.role in ("names", "prometheus")


@pytest.mark.parametrize("role", sorted(SHEETS))
def test_a_role_brings_the_files_that_it_names(role: str) -> None:
    folder = SHEETS[role].folder
    tasks = "".join(path.read_text() for path in sorted(folder.glob("tasks/*.yml")))
    for kind, name in LOOKED_UP.findall(tasks):
        assert (folder / FOLDERS[kind] / name).is_file(), name

"""What a node's base system is told follows from what it can be."""

import json

from l0_infra import Provisioned, load_roles, plan_provision, role_folder
from l0_infra.schemas import ApplyRole, Packages, Time, Tuning


def test_a_container_is_given_no_more_files_than_it_can_have() -> None:
    wish = Provisioned(
        lead="n1",
        lead_address="10.0.0.1",
        time=Time(),
        tuning=Tuning(open_files=100_000),
        packages=Packages(),
        most_files={"n2": 20_480, "n3": 500_000},
    )
    plan = plan_provision(["n1", "n2", "n3"], wish, load_roles(role_folder("l0_infra")))
    given = {
        step.node: json.loads(step.action.variables["base_open_files"])
        for step in plan.steps
        if isinstance(step.action, ApplyRole) and step.action.role == "base"
    }
    assert given == {"n1": 100_000, "n2": 20_480, "n3": 100_000}

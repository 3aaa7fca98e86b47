"""Plans of small roles, and what carries them out on this machine in place of nodes."""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from l0_infra.apply import Host, Site, find_ansible, role_key
from l0_infra.core.errors import UsageError
from l0_infra.core.exec import LocalRunner
from l0_infra.roles import RoleSheet, load_roles
from l0_infra.schemas import ApplyRole, Plan, Step

__all__ = ["ROLES", "local_site", "plan_of", "program"]

CASES = Path(__file__).parent.parent / "cases/apply"
ROLES: Mapping[str, RoleSheet] = {sheet.role.name: sheet for sheet in load_roles(CASES / "roles")}


def program() -> str:
    """Find ansible-playbook; empty when there is none."""
    try:
        return find_ansible()
    except UsageError:
        return ""


def local_site(
    folder: Path, nodes: Iterable[str], *, silence_s: float = 120.0, roles: Mapping[str, RoleSheet] = ROLES
) -> Site:
    """Make nodes of this machine: ansible reaches each without ssh, by the Python that runs the tests."""
    variables = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    return Site(
        hosts={node: Host(name=node, variables=variables) for node in nodes},
        runner=lambda node: LocalRunner(),
        control=LocalRunner(),
        roles=roles,
        folder=folder / "run",
        program=program(),
        guard=folder / "guard",
        silence_s=silence_s,
    )


def plan_of(
    folder: Path,
    nodes: Iterable[str],
    *,
    roles: Iterable[str] = ("ground", "frame", "roof"),
    settings: Mapping[str, Mapping[str, object]] | None = None,
    sheets: Mapping[str, RoleSheet] = ROLES,
) -> Plan:
    """Plan these roles on every node, each with a folder of its own; the first node leads. `settings` go by node."""
    names, chosen = list(nodes), list(roles)
    return Plan(
        title="a house",
        steps=tuple(
            _step(folder, node, role, names[0], chosen, dict((settings or {}).get(node, {})), sheets)
            for node in names
            for role in chosen
        ),
    )


def _step(
    folder: Path,
    node: str,
    role: str,
    head: str,
    chosen: list[str],
    settings: dict[str, object],
    sheets: Mapping[str, RoleSheet],
) -> Step:
    own = {name: value for name, value in settings.items() if name.startswith(f"{role}_")}
    defaults = {"roof_text": "tiles"} if role == "roof" else {}
    values = {f"{role}_folder": str(folder / node), **defaults, **own}
    variables = {name: json.dumps(value) for name, value in values.items()}
    os.makedirs(folder / node, exist_ok=True)  # noqa: PTH103
    sheet = sheets[role]
    return Step(
        id=f"{node}:{role}",
        node=node,
        reason=sheet.role.reason,
        action=ApplyRole(role=role, variables=variables),
        key=role_key(node, sheet.sha256, variables),
        after=(
            *(f"{node}:{name}" for name in sheet.role.after if name in chosen),
            *(f"{head}:{name}" for name in sheet.role.after_controller if name in chosen and head != node),
        ),
    )

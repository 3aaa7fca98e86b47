"""From what is wished of a node's base system and clock to the steps that bring it about; pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from l0_infra.apply import role_key
from l0_infra.core.errors import UnsatisfiableError
from l0_infra.roles import RoleSheet
from l0_infra.schemas import ApplyRole, Packages, Plan, RunCommand, Step, Time, Tuning

__all__ = ["Provisioned", "plan_provision"]

PYTHON = "python"
"""Name of the step that brings what Ansible needs on a node."""

SOURCES = "/etc/apt/sources.list.d/ogai.sources"

BRING_PYTHON = """\
command -v python3 >/dev/null && exit
if command -v apt-get >/dev/null; then
    apt-get -q -o DPkg::Lock::Timeout=600 ${1:+-o Acquire::http::Proxy="$1"} update
    exec env DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=600 ${1:+-o Acquire::http::Proxy="$1"} \\
        install --no-install-recommends python3
fi
exec dnf -qy install python3
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Provisioned:
    """What all nodes get. `lead` serves the time, and `lead_address` is where the others ask it for it."""

    lead: str
    lead_address: str
    time: Time
    tuning: Tuning
    packages: Packages
    unsteered: frozenset[str] = frozenset()
    """Nodes whose clock is another's: containers."""
    most_files: Mapping[str, int] = field(default_factory=dict)
    """Of containers that cannot raise it, how many files a process of theirs can open."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kind:
    """In what the variables of two nodes can differ."""

    lead: bool
    steer: bool
    most_files: int | None


def plan_provision(
    nodes: Sequence[str], wish: Provisioned, sheets: Sequence[RoleSheet], *, first: Sequence[str] = ()
) -> Plan:
    """Plan the roles of one node on each of these nodes; `first` are roles of another plan that come before them.

    Raises UnsatisfiableError when the roles wait for each other in a circle.
    """
    ordered = _ordered(sheets)
    kinds = {node: _kind(node, wish) for node in nodes}
    variables = {
        kind: {sheet.role.name: _variables(sheet, wish, kind) for sheet in ordered}
        for kind in set(kinds.values())
    }
    steps = [step for node in nodes for step in _steps(node, wish, ordered, variables[kinds[node]], first)]
    return Plan(title="base system and time", steps=tuple(steps))


def _kind(node: str, wish: Provisioned) -> _Kind:
    return _Kind(
        lead=node == wish.lead, steer=node not in wish.unsteered, most_files=wish.most_files.get(node)
    )


def _ordered(sheets: Sequence[RoleSheet]) -> list[RoleSheet]:
    waiting, ordered = {sheet.role.name: sheet for sheet in sheets}, list[RoleSheet]()
    while waiting:
        free = [sheet for sheet in waiting.values() if not waiting.keys() & {*sheet.role.after}]
        if not free:
            raise UnsatisfiableError(
                "roles", found=f"a circle among {', '.join(waiting)}", expected="an order"
            )
        ordered += free
        waiting = {name: sheet for name, sheet in waiting.items() if sheet not in free}
    return ordered


def _steps(
    node: str,
    wish: Provisioned,
    sheets: Sequence[RoleSheet],
    variables: Mapping[str, dict[str, str]],
    first: Sequence[str],
) -> Iterator[Step]:
    known = {sheet.role.name for sheet in sheets}
    yield _python(node, wish.packages)
    for sheet in sheets:
        role = sheet.role
        own = (*(name for name in role.after if name in known), PYTHON, *first)
        of_lead = [name for name in role.after_controller if name in known and node != wish.lead]
        yield Step(
            id=f"{node}:{role.name}",
            node=node,
            reason=role.reason,
            action=ApplyRole(role=role.name, variables=variables[role.name]),
            key=role_key(node, sheet.sha256, variables[role.name]),
            after=(*(f"{node}:{name}" for name in own), *(f"{wish.lead}:{name}" for name in of_lead)),
        )


def _python(node: str, packages: Packages) -> Step:
    return Step(
        id=f"{node}:{PYTHON}",
        node=node,
        reason="Ansible works through it",
        action=RunCommand(
            argv=("sh", "-c", BRING_PYTHON, "python", packages.apt_proxy or ""), deadline_s=1200.0
        ),
        key=f"{node}:{PYTHON}:1",
    )


def _variables(sheet: RoleSheet, wish: Provisioned, kind: _Kind) -> dict[str, str]:
    made = {"base": _base, "time": _time}.get(sheet.role.name)
    return {} if made is None else {name: json.dumps(value) for name, value in made(wish, kind).items()}


def _base(wish: Provisioned, kind: _Kind) -> dict[str, object]:
    tuning = wish.tuning
    return {
        "base_sysctl": tuning.sysctl,
        "base_hugepages": [{"size_bytes": pin.size_bytes, "count": pin.count} for pin in tuning.hugepages],
        "base_memlock_unlimited": tuning.memlock_unlimited,
        "base_open_files": min(tuning.open_files, kind.most_files or tuning.open_files),
        "base_journal_max_bytes": tuning.journal_max_bytes,
        "base_governor": tuning.governor or "",
        "base_apt_proxy": wish.packages.apt_proxy or "",
        "base_apt_mirror": wish.packages.apt_mirror or "",
        "base_apt_security_mirror": wish.packages.apt_security_mirror or "",
        "base_apt_files": [SOURCES] if wish.packages.apt_mirror or wish.packages.apt_security_mirror else [],
    }


def _time(wish: Provisioned, kind: _Kind) -> dict[str, object]:
    return {
        "time_zone": wish.time.zone,
        "time_servers": list(wish.time.servers),
        "time_serve": kind.lead,
        "time_source": "" if kind.lead else wish.lead_address,
        "time_steer": kind.steer,
    }

"""What somebody changed on a node by hand: `diff` names it, `up` mends it, and nothing else is touched."""

from collections import Counter

from bringup.stage import Stage, hold_all
from l0_infra import Entry, Ledger
from l1_podsys.lab.documents import SHARED

__all__ = ["prove_drift"]

FILES = "file "
SERVICES = "service "
NOT_EDITED = ("/usr/",)
"""What no person edits."""


def prove_drift(stage: Stage, rounds: int) -> None:
    """Edit a file that a role left, then stop a service, each on a node that chance chooses.

    A file on storage that all nodes share has drifted on all of them.
    """
    for _ in range(rounds):
        _prove_one(stage, FILES, "printf '\\n# by hand\\n' >>\"$0\"")
        _prove_one(stage, SERVICES, 'systemctl stop "$0"')
    hold_all(stage)


def _prove_one(stage: Stage, kind: str, script: str) -> None:
    entry, what = stage.rng.choice(_things(stage, kind))
    stage.cluster.said(entry.node, "sh", "-c", script, what.removeprefix(kind))
    stage.ledger.done[f"{kind.strip()}s drifted"] += 1
    stage.tell(f"{entry.node}: {what} of {entry.name}")
    found = stage.cluster.cluster("diff").json["deviations"]
    named = any((one["node"], one["what"]) == (entry.node, what) for one in found)
    stage.check("what drifted is named", *([] if named else [f"{entry.node} {what}, not in {found}"]))
    seen_by = {entry.node}
    if what.startswith(f"{FILES}{SHARED}/"):
        seen_by = {other.node for other, same in _things(stage, kind) if same == what}
    others = [one for one in found if one["node"] not in seen_by]
    stage.check("no other node is said to have drifted", *map(str, others))
    drifted = {(one["node"], one["name"]) for one in found}
    mended = stage.expect("a run mends what drifted", stage.cluster.again(), 0)
    if mended.code:
        return
    touched = {node["name"]: node["done"] for node in mended.json["nodes"] if node["done"]}
    right = dict(Counter(node for node, _ in drifted))
    stage.check("nothing else is applied", *([] if touched == right else [f"{touched}, expected {right}"]))


def _things(stage: Stage, kind: str) -> list[tuple[Entry, str]]:
    """List what roles left on nodes, as the cluster's own ledger has it."""
    path = stage.cluster.home / "clusters" / stage.cluster.name / "ledger.db"
    with Ledger.at(path) as ledger:
        entries = ledger.entries()
    return [
        (entry, what)
        for _, entry in sorted(entries.items())
        for what, found in sorted(entry.found_items().items())
        if what.startswith(kind) and found and not what.removeprefix(kind).startswith(NOT_EDITED)
    ]

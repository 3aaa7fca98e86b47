"""Who leads a cluster that is made of a list: who is named, who is in a group for it, or who is called so."""

from dataclasses import replace

from l0_infra.core.errors import Fault
from l0_infra.core.nodeset import fold
from l1_podsys.inventory.listed import Found, Note, fault_at
from l1_podsys.inventory.node import ORDER, ListedNode

__all__ = ["led_by"]

HEADS = ("head", "master", "manager", "controller", "mgmt", "mgr")


def led_by(
    found: Found, nodes: list[ListedNode], head: str | None, faults: list[Fault], notes: list[Note]
) -> list[ListedNode]:
    """See to it that a head leads: the one that is named, those of the groups, or the one that is called so."""
    by_name = {node.name: node for node in nodes}
    if head is not None and head not in by_name:
        faults.append(
            Fault(path=(), where="--head", found=f"`{head}`", expected=f"one of {fold(map(_fit, by_name))}")
        )
        return nodes
    if head is None and not any("head" in node.roles for node in nodes):
        called = [node.name for node in nodes if node.name.rstrip("0123456789").rstrip("-") in HEADS]
        if len(called) != 1:
            hint = "name it: --head NAME; groups called head, controller, master or manager are taken for it"
            faults.append(fault_at(found.source, 1, "no host that leads", "a head", hint))
            return nodes
        head = called[0]
        where = f"{found.source}:{by_name[head].listed.name.line}"
        notes.append(
            Note(where=where, what=f"`{head}`", why="it leads, by its name; --head NAME names another")
        )
    if head is None:
        return nodes
    return [_leading(node) if node.name == head else node for node in nodes]


def _fit(name: str) -> str:
    return "".join(sign for sign in name if sign not in " ,[]") or "?"


def _leading(node: ListedNode) -> ListedNode:
    roles = tuple(role for role in ORDER if role == "head" or (role in node.roles and role != "compute"))
    return replace(node, roles=roles)

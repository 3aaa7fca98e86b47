"""From hosts as listed to a cluster's document: every value checked at its line, all faults at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address

from l0_infra.core.errors import DocumentError, Fault
from l0_infra.schemas import address_fault, name_fault
from l1_podsys.inventory.classes import classes_by_group
from l1_podsys.inventory.grouped import groups_of, networks_of
from l1_podsys.inventory.leading import led_by
from l1_podsys.inventory.listed import Found, ListedHost, Note, Typed, fault_at
from l1_podsys.inventory.node import ORDER, ListedNode, Role, text_of
from l1_podsys.inventory.reach import ssh_of
from l1_podsys.inventory.unique import repeated_hosts
from l1_podsys.inventory.words import role_of
from l1_podsys.schemas import Cluster

__all__ = ["Imported", "assemble"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """A cluster from a list of hosts, and what of the list did not come into it."""

    cluster: Cluster
    notes: tuple[Note, ...] = ()


def assemble(found: Found, *, name: str, head: str | None = None) -> Imported:
    """Make a cluster of what was listed; `head` leads where no group says who does.

    Raises DocumentError with all faults and their lines.
    """
    notes = [*found.notes]
    faults = [*found.faults]
    classes, told = classes_by_group(found)
    nodes = _named(found, classes, faults)
    if not nodes and not faults:
        faults.append(fault_at(found.source, 1, "no host", "at least one"))
    nodes = led_by(found, nodes, head, faults, notes) if nodes else nodes
    faults += repeated_hosts(found.source, nodes)
    ssh, differing = ssh_of(found, {node.listed.name.text: node.name for node in nodes}, faults)
    if faults:
        raise DocumentError(found.source, sorted(faults, key=_line))
    cluster = Cluster(
        name=name,
        nodes=tuple(groups_of(nodes)),
        ssh=ssh,
        networks=tuple(networks_of(nodes)),
    )
    return Imported(cluster=cluster, notes=(*notes, *told, *differing, *_left_out(found)))


def _line(fault: Fault) -> tuple[int, str]:
    line = fault.where.rpartition(":")[2]
    return (int(line) if line.isdigit() else 0, fault.found)


def _named(found: Found, classes: Mapping[str, str], faults: list[Fault]) -> list[ListedNode]:
    nodes = []
    for host in found.hosts:
        label = _label(found, host, faults)
        roles = _roles(found.source, host, faults)
        address = host.values.get("address")
        dotted = "." in host.name.text and label != host.name.text
        nodes.append(
            ListedNode(
                listed=host,
                name=label,
                roles=roles,
                node_class=text_of(host, "node_class") or classes.get(host.name.text, "default"),
                address=_address(found.source, address, faults) or (host.name.text if dotted else None),
                bmc_address=_address(found.source, host.values.get("bmc_address"), faults),
            )
        )
    return nodes


def _label(found: Found, host: ListedHost, faults: list[Fault]) -> str:
    """Return a node's name: the first label of a host's."""
    text, line = host.name.text, host.name.line
    try:
        ip_address(text.strip("[]"))
    except ValueError:
        label = text.partition(".")[0]
        if fault := name_fault(label, ()):
            hint = "names of nodes have no `_`" if "_" in label else ""
            faults.append(replace(fault, where=f"{found.source}:{line}", hint=hint))
        return label
    hint = f"give it a name: `node1 ansible_host={text}`"
    faults.append(fault_at(found.source, line, f"the address `{text}` as a name", "a host name", hint))
    return text


def _address(source: str, typed: Typed | None, faults: list[Fault]) -> str | None:
    if typed is None or not typed.text:
        return None
    plain = typed.text.partition("/")[0]
    if fault := address_fault(plain, ()):
        faults.append(replace(fault, where=f"{source}:{typed.line}", found=f"`{typed.text}`"))
    return plain


def _roles(source: str, host: ListedHost, faults: list[Fault]) -> tuple[Role, ...]:
    """Take roles that are said, else those that groups are called by, else compute."""
    typed = host.values.get("roles")
    if typed is not None:
        words = [
            word
            for word in typed.text.replace(";", ",").replace("|", ",").replace(" ", ",").split(",")
            if word
        ]
        said = {word: role_of(word) for word in words}
        for word in (word for word, role in said.items() if role is None):
            faults.append(fault_at(source, typed.line, f"the role `{word}`", f"one of {', '.join(ORDER)}"))
        roles = {role for role in said.values() if role is not None}
    else:
        roles = {role for group in host.groups if (role := role_of(group)) is not None}
    return tuple(role for role in ORDER if role in roles) or ("compute",)


def _left_out(found: Found) -> Iterator[Note]:
    """Note addresses over the fabric: nodes tell them by themselves."""
    lines = [typed.line for host in found.hosts if (typed := host.values.get("fabric_address")) is not None]
    if lines:
        why = "only their network comes into the document; nodes keep the addresses they have"
        yield Note(
            where=f"{found.source}:{lines[0]}",
            what=f"addresses over the fabric of {len(lines)} hosts",
            why=why,
        )

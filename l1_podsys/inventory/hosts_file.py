"""Reads a list as `/etc/hosts` is written: an address, a name and other names for it on each line."""

import re
from ipaddress import ip_address

from l0_infra.core.errors import Fault
from l1_podsys.inventory.listed import Found, ListedHost, Note, Typed, fault_at

__all__ = ["parse_hosts"]

BMC = re.compile(r"(?P<host>.+)-(?:bmc|ipmi|ilo|idrac|oob|mgmt-bmc)")
OTHER = re.compile(r"(?P<host>.+?)-(?:ib|ipoib|ib[0-9]+|eth[0-9]+|stor|storage|data|fabric)")


def parse_hosts(text: str, source: str) -> Found:
    """Read it; addresses of the machine itself and second addresses of a host are noted, and no hosts."""
    hosts: dict[str, ListedHost] = {}
    notes: list[Note] = []
    faults: list[Fault] = []
    controllers: list[tuple[str, str, Typed]] = []
    for line, row in enumerate(text.splitlines(), 1):
        words = row.partition("#")[0].split()
        if not words:
            continue
        where = f"{source}:{line}"
        address, names = words[0], words[1:]
        why = _not_a_node(address)
        if not names:
            faults.append(fault_at(source, line, f"`{row.strip()}`", "an address and a name"))
        elif why:
            notes.append(Note(where=where, what=f"`{address} {names[0]}`", why=why))
        elif (bmc := BMC.fullmatch(names[0].partition(".")[0])) is not None:
            controllers.append((bmc["host"], names[0], Typed(text=address, line=line)))
        elif (other := OTHER.fullmatch(names[0].partition(".")[0])) is not None:
            why = f"it looks like another address of {other['host']}, which nodes tell by themselves"
            notes.append(Note(where=where, what=f"`{names[0]}`", why=why))
        elif names[0] in hosts:
            first = hosts[names[0]].name.line
            notes.append(
                Note(where=where, what=f"`{address}` of {names[0]}", why=f"line {first} has its address")
            )
        else:
            typed = Typed(text=address, line=line)
            hosts[names[0]] = ListedHost(name=Typed(text=names[0], line=line), values={"address": typed})
    notes += _give_controllers(hosts, controllers, source)
    return Found(source=source, hosts=tuple(hosts.values()), notes=tuple(notes), faults=tuple(faults))


def _not_a_node(address: str) -> str:
    """Say why a line names no node; empty when it may."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if found.is_loopback or found.is_unspecified:
        return "it is an address of the machine itself"
    return "it is no address of one machine" if found.is_multicast or str(found) == "fe00::" else ""


def _give_controllers(
    hosts: dict[str, ListedHost], controllers: list[tuple[str, str, Typed]], source: str
) -> list[Note]:
    """Give management controllers to the hosts that they are named after; the others are noted."""
    by_label = {name.partition(".")[0]: name for name in hosts}
    notes = []
    for label, name, address in controllers:
        if (host := by_label.get(label)) is None:
            why = f"it is named like a management controller, and there is no host `{label}`"
            notes.append(Note(where=f"{source}:{address.line}", what=f"`{name}`", why=why))
        else:
            listed = hosts[host]
            hosts[host] = ListedHost(name=listed.name, values={**listed.values, "bmc_address": address})
    return notes

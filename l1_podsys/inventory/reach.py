"""How listed hosts are reached: what all have alike is the cluster's, what differs belongs into ~/.ssh/config."""

import re
from collections.abc import Iterator, Mapping

from l0_infra.core.errors import Fault
from l0_infra.core.nodeset import fold
from l1_podsys.inventory.listed import Found, ListedHost, Note, fault_at
from l1_podsys.schemas import Ssh

__all__ = ["ssh_of"]

KEYWORDS: Mapping[str, str] = {
    "user": "User",
    "port": "Port",
    "identity_file": "IdentityFile",
    "known_hosts_file": "UserKnownHostsFile",
    "proxy_jump": "ProxyJump",
}
"""Fields of the document and the words of ssh's configuration for them."""

USER = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
PORT = re.compile(r"[1-9][0-9]{0,4}")
NO = ("false", "no", "n", "0", "off")


def ssh_of(found: Found, names: Mapping[str, str], faults: list[Fault]) -> tuple[Ssh, tuple[Note, ...]]:
    """Return how hosts are reached, and notes on what is not alike. `names` are the nodes of the hosts."""
    common: dict[str, str] = {}
    notes: list[Note] = []
    for field in KEYWORDS:
        told = {
            host.name.text: typed for host in found.hosts if (typed := host.values.get(field)) and typed.text
        }
        for host in found.hosts:
            if fault := _refused(found.source, field, host):
                faults.append(fault)
        kinds = {typed.text for typed in told.values()}
        if len(kinds) == 1 and len(told) == len(found.hosts):
            common[field] = kinds.pop()
        elif kinds:
            notes += _differing(found, field, names)
    port = common.pop("port", None)
    usable = port if port and PORT.fullmatch(port) and int(port) <= 65535 else None
    sudo = not any(typed.text.lower() in NO for host in found.hosts if (typed := host.values.get("sudo")))
    return Ssh(**common, port=int(usable) if usable else None, sudo=sudo), tuple(notes)


def _refused(source: str, field: str, host: ListedHost) -> Fault | None:
    typed = host.values.get(field)
    if typed is None or not typed.text:
        return None
    if field == "port" and not (PORT.fullmatch(typed.text) and int(typed.text) <= 65535):
        return fault_at(source, typed.line, f"the port `{typed.text}`", "a number from 1 to 65535")
    if field == "user" and not USER.fullmatch(typed.text):
        return fault_at(source, typed.line, f"the user `{typed.text}`", "a login name")
    return None


def _differing(found: Found, field: str, names: Mapping[str, str]) -> Iterator[Note]:
    """Say for each value whose it is, in the words of ssh's configuration."""
    by_value: dict[str, list[ListedHost]] = {}
    for host in found.hosts:
        typed = host.values.get(field)
        if typed is not None and typed.text:
            by_value.setdefault(typed.text, []).append(host)
    for value, hosts in by_value.items():
        line = min(host.values[field].line for host in hosts)
        nodes = [names.get(host.name.text, host.name.text) for host in hosts]
        what = f"{KEYWORDS[field]} {value} of {_folded(nodes)}"
        why = "hosts differ in it, so that it stays with ~/.ssh/config: `Host …` and this line"
        yield Note(where=f"{found.source}:{line}", what=what, why=why)


def _folded(names: list[str]) -> str:
    return fold(names) if all(re.fullmatch(r"[^\s,\[\]]+", name) for name in names) else ", ".join(names)

"""What a node may be recognised by: keys ranked by trust, makers' placeholders refused."""

import re
from dataclasses import dataclass
from typing import Literal

from l0_infra.schemas.node import Node
from l0_infra.schemas.node_facts import NodeFacts

__all__ = ["IdentityKey", "identity_of"]

PLACEHOLDERS = frozenset(
    {
        *("default", "defaultstring", "empty", "invalid", "na", "none", "notapplicable", "notavailable"),
        *("notpresent", "notsettable", "notspecified", "null", "oem", "serial", "serialnumber", "string"),
        *("system", "systemserialnumber", "tbd", "tobefilledbyoem", "undefined", "unknown"),
    }
)
"""What makers leave where a serial number belongs, in lower case, letters and digits only."""

FACTORY_UUIDS = frozenset({"03000200-0400-0500-0006-000700080009"})
"""Left in boards nobody gave a UUID of their own."""

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True, kw_only=True, slots=True)
class IdentityKey:
    """A key that two descriptions of one node share; `value` has one spelling, so keys compare."""

    kind: Literal["uuid", "serial", "mac", "name"]
    value: str


def identity_of(node: Node | NodeFacts) -> tuple[IdentityKey, ...]:
    """Rank the usable keys of a node, most trusted first: UUID, serial number, hardware addresses, name.

    Placeholders (`0`, `To Be Filled By O.E.M.`, `Not Present`) and addresses made up by software are no keys.
    """
    keys = _written(node) if isinstance(node, Node) else _found(node)
    return tuple(dict.fromkeys(key for key in keys if key))


def _written(node: Node) -> list[IdentityKey | None]:
    return [_uuid(node.uuid), _serial(node.serial), _mac(node.mac), _name(node.name)]


def _found(facts: NodeFacts) -> list[IdentityKey | None]:
    macs = [_mac(port.mac) for port in facts.interfaces if port.pci]
    return [_uuid(facts.chassis.uuid), _serial(facts.chassis.serial), *macs, _name(facts.hostname)]


def _uuid(text: str | None) -> IdentityKey | None:
    value = (text or "").strip().lower()
    meaningless = value in FACTORY_UUIDS or len(set(value.replace("-", ""))) == 1
    return IdentityKey(kind="uuid", value=value) if UUID.fullmatch(value) and not meaningless else None


def _serial(text: str | None) -> IdentityKey | None:
    value = (text or "").strip()
    bare = re.sub(r"[^a-z0-9]", "", value.lower())
    meaningless = bare in PLACEHOLDERS or len(set(bare)) < 2 or bare in "01234567890"
    return None if meaningless else IdentityKey(kind="serial", value=value)


def _mac(text: str | None) -> IdentityKey | None:
    value = (text or "").strip().lower().replace("-", ":")
    octets = value.split(":")
    if len(octets) != 6 or not all(re.fullmatch("[0-9a-f]{2}", octet) for octet in octets):
        return None
    made_up = int(octets[0], 16) & 0b11 or len(set(octets)) == 1
    return None if made_up else IdentityKey(kind="mac", value=value)


def _name(text: str | None) -> IdentityKey | None:
    value = (text or "").strip().lower().split(".")[0]
    return IdentityKey(kind="name", value=value) if value not in ("", "localhost") else None

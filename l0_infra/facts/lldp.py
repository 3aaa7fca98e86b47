"""`lldpcli show neighbors`: whom each network interface hears, from lldpd where that is installed.

`-f json0` writes every element as a list, whatever their number; `-f json`, which people gather by hand, writes a
single one as an object and puts a device's name in place of the key (lldpcli(8); both tried with lldpd 1.0.16).
"""

from collections.abc import Iterator, Sequence

from l0_infra.facts.bundle import Answer, Source
from l0_infra.facts.json_value import Json, decode, dig, items, keys, word
from l0_infra.schemas import Neighbor, Unread

__all__ = ["NEIGHBORS", "parse_neighbors"]

NEIGHBORS = Source(
    name="lldp-neighbors.json",
    program="lldpcli",
    command="lldpcli -f json0 show neighbors",
    also=("*lldp*.json",),
    marks=('"lldp": ',),
)

OWN = frozenset(("id", "name", "descr", "mgmt-ip", "mgmt-iface", "capability"))
"""Keys of a device itself; any other is the name of one."""


def parse_neighbors(answer: Answer) -> tuple[tuple[Neighbor, ...] | None, tuple[Unread, ...]]:
    """List whom the interfaces hear, in the order told; None where nobody could tell."""
    if not answer.ok:
        return None, tuple(answer.unread("lldpcli"))
    told = dig(decode(answer.out), "lldp")
    if told is None:
        return None, (Unread(what="lldpcli", reason="garbled", detail=answer.out.strip()[:200]),)
    return tuple(_neighbor(interface, one) for interface, one in _interfaces(told)), ()


def _interfaces(told: Json) -> Iterator[tuple[str, Json]]:
    """Yield each (interface, what is heard there); one that hears several comes several times."""
    for entry in (entry for part in _each(told) for entry in _each(dig(part, "interface"))):
        if name := word(dig(entry, "name")):
            yield name, entry
        else:
            yield from ((key, dig(entry, key)) for key in keys(entry) if key)


def _neighbor(interface: str, told: Json) -> Neighbor:
    name, chassis = _chassis(_first(dig(told, "chassis")))
    port = _first(dig(told, "port"))
    capabilities = _each(dig(chassis, "capability"))
    return Neighbor(
        interface=interface,
        name=name or None,
        chassis=_text(dig(chassis, "id")) or None,
        port=_text(dig(port, "id")) or _text(dig(port, "descr")) or None,
        capabilities=tuple(
            word(dig(one, "type")).lower() for one in capabilities if dig(one, "enabled") is True
        )
        if capabilities
        else None,
    )


def _chassis(told: Json) -> tuple[str, Json]:
    """Return a device's name, and what it says of itself; a device may have no name."""
    names = [key for key in keys(told) if key not in OWN]
    return (names[0], dig(told, names[0])) if names else (_text(dig(told, "name")), told)


def _each(value: Json) -> Sequence[Json]:
    """Return what may be one, several or none as several."""
    return (value,) if keys(value) else items(value)


def _first(value: Json) -> Json:
    return next(iter(_each(value)), None)


def _text(value: Json) -> str:
    """Read a text, or the `value` of an object or of the first of a list."""
    return word(_first(value) if items(value) else value).strip()

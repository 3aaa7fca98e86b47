"""Which accelerators their own links join, from what each says of its links."""

from collections.abc import Sequence
from itertools import combinations

from l0_infra.facts.topology.told import Told, Way
from l0_infra.facts.vendor import pci_address
from l0_infra.schemas import Accelerator, AcceleratorLink

__all__ = ["parse_links"]


def parse_links(accelerators: Sequence[Accelerator]) -> Told:
    """Join two that name each other, or that both have active links to a switch, which reaches all on it."""
    addresses = frozenset(one.pci for one in accelerators if one.pci)
    pairs = [*combinations(accelerators, 2)]
    ways = {
        (one.id, other.id): way
        for one, other in pairs
        if one.vendor == other.vendor and (way := _way(one, other, addresses))
    }
    apart = ((one.id, other.id) for one, other in pairs if _apart(one, other))
    return Told(ways=ways, over_pci=frozenset(apart) - ways.keys())


def _apart(one: Accelerator, other: Accelerator) -> bool:
    """Tell whether no link can join two: one has none that may be up, or it is known where all of both lead."""
    up = [
        None if each.links is None else [link for link in each.links if link.active is not False]
        for each in (one, other)
    ]
    if [] in up:
        return True
    return all(links and all(pci_address(link.peer or "") for link in links) for links in up)


def _way(one: Accelerator, other: Accelerator, addresses: frozenset[str]) -> Way | None:
    direct = _towards(one, frozenset((other.pci,)) if other.pci else frozenset())
    switched = [_away(each, addresses) for each in (one, other)]
    links = direct or (min(switched, key=len) if all(switched) else ())
    return Way(path=links[0].kind, links=len(links)) if links else None


def _active(accelerator: Accelerator) -> Sequence[tuple[AcceleratorLink, str]]:
    """List active links with the PCI address of what they lead to, as far as it is told."""
    links = [link for link in accelerator.links or () if link.active and link.peer]
    return [(link, address) for link in links if (address := pci_address(link.peer or ""))]


def _towards(accelerator: Accelerator, addresses: frozenset[str]) -> Sequence[AcceleratorLink]:
    return [link for link, address in _active(accelerator) if address in addresses]


def _away(accelerator: Accelerator, addresses: frozenset[str]) -> Sequence[AcceleratorLink]:
    """List links that lead to no accelerator, so to a switch."""
    return [link for link, address in _active(accelerator) if address not in addresses]

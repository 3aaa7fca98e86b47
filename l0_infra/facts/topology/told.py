"""What one source tells of the lie of the devices, in the form that all of them share."""

from collections.abc import Mapping

import msgspec

from l0_infra.facts.topology.tail import Place
from l0_infra.schemas import PairPath, Unread

__all__ = ["Told", "Way", "way_between"]


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """How two devices reach each other."""

    path: PairPath
    links: int | None = None


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """Ways between devices by their names, where each lies, and what could not be read."""

    ways: Mapping[tuple[str, str], Way] = {}
    over_pci: frozenset[tuple[str, str]] = frozenset()
    """Accelerators that no link of their own joins; how they lie the PCI tree tells."""
    places: Mapping[str, Place] = {}
    unread: tuple[Unread, ...] = ()
    read: bool = True
    """Whether the source's text was understood."""


def way_between(one: str, other: str, told: Mapping[tuple[str, str], Way]) -> Way | None:
    """Find a way in either direction."""
    return told.get((one, other)) or told.get((other, one))

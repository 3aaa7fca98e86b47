"""A host as a node of the cluster to be: its name, what it is for, where it is reached."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from l1_podsys.inventory.listed import ListedHost

__all__ = ["ORDER", "ListedNode", "Role", "text_of"]

Role = Literal["head", "login", "compute", "storage"]
ORDER: Sequence[Role] = ("head", "login", "storage", "compute")


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedNode:
    """One node, and the host it was listed as."""

    listed: ListedHost
    name: str
    roles: tuple[Role, ...]
    node_class: str
    address: str | None
    bmc_address: str | None

    @property
    def kind(self) -> tuple[object, ...]:
        """What nodes of one group of the document have in common."""
        return (self.roles, self.node_class, self.address is None, self.bmc_address is None)


def text_of(host: ListedHost, field: str) -> str | None:
    """Return a value as typed; None where there is none."""
    typed = host.values.get(field)
    return typed.text or None if typed is not None else None

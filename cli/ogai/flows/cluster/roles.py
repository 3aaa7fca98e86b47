"""The roles that ogai brings, as a bring-up is planned from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from l0_infra import RoleSheet, load_roles, role_folder

__all__ = ["Roles", "load_all_roles"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Roles:
    """The roles of one node, and those that make many nodes one."""

    provision: Sequence[RoleSheet]
    bringup: Sequence[RoleSheet]

    @property
    def by_name(self) -> Mapping[str, RoleSheet]:
        """All of them."""
        return {sheet.role.name: sheet for sheet in (*self.provision, *self.bringup)}


@cache
def load_all_roles() -> Roles:
    """Read the roles that ogai brings."""
    return Roles(provision=load_roles(role_folder("l0_infra")), bringup=load_roles(role_folder("l1_podsys")))

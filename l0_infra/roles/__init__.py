"""Roles as a plan sees them: what each is, what its folder holds, and how one look tells whether it still holds."""

from l0_infra.roles.items import Item, items_of
from l0_infra.roles.load import RoleSheet, load_roles, role_folder
from l0_infra.roles.look import UNTOLD, Look, fingerprint, look_command, parse_look
from l0_infra.roles.undo import undo_command

__all__ = [
    "UNTOLD",
    "Item",
    "Look",
    "RoleSheet",
    "fingerprint",
    "items_of",
    "load_roles",
    "look_command",
    "parse_look",
    "role_folder",
    "undo_command",
]

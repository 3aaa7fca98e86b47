"""Lists of hosts become a cluster's document, and a cluster becomes an Ansible inventory; pure."""

from l1_podsys.inventory.assemble import Imported, assemble
from l1_podsys.inventory.export import render_inventory
from l1_podsys.inventory.guess import guess_form
from l1_podsys.inventory.listed import Note
from l1_podsys.inventory.read import FORMS, ListForm, parse_list

__all__ = [
    "FORMS",
    "Imported",
    "ListForm",
    "Note",
    "assemble",
    "guess_form",
    "parse_list",
    "render_inventory",
]

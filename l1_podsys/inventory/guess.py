"""Tells what form a list of hosts is in, where nobody says so."""

import re

from l1_podsys.inventory.read import ListForm
from l1_podsys.inventory.table import parse_table

__all__ = ["guess_form"]

ADDRESS = re.compile(r"(\d{1,3}(\.\d{1,3}){3}|[0-9a-fA-F]*:[0-9a-fA-F:.]+)\s+[A-Za-z]")


def guess_form(text: str, name: str) -> ListForm:
    """Guess by the first line that says something, then by the file's name."""
    rows = [row.strip() for row in text.splitlines() if row.strip() and not row.lstrip().startswith("#")]
    if rows and ADDRESS.match(rows[0]):
        return "hosts"
    if name.endswith((".csv", ".tsv")):
        return "csv"
    if (
        name.endswith((".ini", ".yaml", ".yml", ".json"))
        or not rows
        or rows[0].startswith(("[", "---", "all:"))
    ):
        return "ansible-inventory"
    return "csv" if not parse_table(text, name).faults else "ansible-inventory"

"""Reads a list of hosts in any of its forms, and tells one form from another where none is named."""

import re
from typing import Literal, get_args

from l1_podsys.inventory.ansible_ini import parse_ini
from l1_podsys.inventory.ansible_yaml import parse_yaml
from l1_podsys.inventory.groups import resolve
from l1_podsys.inventory.hosts_file import parse_hosts
from l1_podsys.inventory.listed import Found
from l1_podsys.inventory.table import parse_table

__all__ = ["FORMS", "ListForm", "parse_list"]

ListForm = Literal["ansible-inventory", "hosts", "csv"]
FORMS: tuple[ListForm, ...] = get_args(ListForm)

YAML = re.compile(r"^(---|[\w.-]+:)\s*(#.*)?$")


def parse_list(text: str, form: ListForm, source: str) -> Found:
    """Read a list of hosts; what is wrong with it is among what is returned."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if form == "hosts":
        return parse_hosts(text, source)
    if form == "csv":
        return parse_table(text, source)
    return resolve(parse_yaml(text, source) if _is_yaml(text, source) else parse_ini(text, source))


def _is_yaml(text: str, source: str) -> bool:
    """Tell YAML from INI by the first line that says something."""
    first = next((row for row in text.splitlines() if row.strip() and row.lstrip()[0] not in "#;"), "")
    return bool(YAML.match(first)) or (first.startswith("{") and source.endswith((".json", ".yaml", ".yml")))

"""Reads Ansible's inventory in its INI form: sections of hosts, of groups below groups, and of variables."""

import re
import shlex
from collections.abc import Iterator

from l0_infra.core.errors import UsageError
from l1_podsys.inventory.groups import Tree
from l1_podsys.inventory.listed import Typed
from l1_podsys.inventory.ranges import expand_range

__all__ = ["parse_ini"]

SECTION = re.compile(r"\[(?P<name>[^:\]]+)(?::(?P<kind>[^\]]*))?\]\s*(?:[#;].*)?")
KINDS = ("hosts", "children", "vars")


def parse_ini(text: str, source: str) -> Tree:
    """Read an inventory; what is wrong is listed with its lines."""
    tree = Tree(source=source)
    name, kind = "ungrouped", "hosts"
    for line, row in enumerate(text.splitlines(), 1):
        bare = row.strip()
        if not bare or bare[0] in "#;":
            continue
        if bare.startswith("["):
            section = SECTION.fullmatch(bare)
            if section is None or (section["kind"] or "hosts") not in KINDS:
                tree.fault(line, f"`{bare}`", "a section: `[group]`, `[group:children]` or `[group:vars]`")
                name, kind = "", "skipped"
            else:
                name, kind = section["name"].strip(), section["kind"] or "hosts"
                tree.group(name, line)
        elif kind == "hosts":
            _host(tree, name, bare, line)
        elif kind == "children":
            tree.group(name, line).children[re.split(r"\s+[#;]", bare)[0]] = line
        elif kind == "vars":
            _variable(tree, name, bare, line)
    _refuse_strangers(tree)
    return tree


def _host(tree: Tree, group: str, row: str, line: int) -> None:
    try:
        pattern, *words = shlex.split(row, comments=True)
    except ValueError as error:
        return tree.fault(line, f"{error}: `{row}`", "quotes that are closed")
    bare = [word for word in words if "=" not in word]
    if bare:
        hint = "a line names one host; several are `node[01:04]` or lines of their own"
        tree.fault(line, f"`{' '.join(bare)}`", "`name=value` after a host's name", hint)
    parts = [word.partition("=") for word in words]
    values = {name: Typed(text=value, line=line) for name, equals, value in parts if equals}
    for host, port in _names(tree, pattern, line):
        own = tree.variables.setdefault(host, {})
        own.update(values)
        if port:
            own.setdefault("ansible_port", Typed(text=port, line=line))
        tree.group(group, line).hosts.setdefault(host, line)
    return None


def _names(tree: Tree, pattern: str, line: int) -> Iterator[tuple[str, str]]:
    """Yield the hosts that a pattern means, each with its port."""
    match = re.fullmatch(r"(?P<hosts>.+?)(?::(?P<port>[0-9]+))?", pattern)
    hosts, port = (match["hosts"], match["port"] or "") if match else (pattern, "")
    if hosts.count(":") > 1 and "[" not in hosts:
        hosts, port = pattern, ""
    try:
        yield from ((name, port) for name in expand_range(hosts))
    except UsageError as error:
        tree.fault(line, error.found, error.expected, error.hint)


def _variable(tree: Tree, group: str, row: str, line: int) -> None:
    name, equals, value = row.partition("=")
    if not equals:
        return tree.fault(line, f"`{row}`", "`name=value`")
    plain = value.strip()
    if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'":
        plain = plain[1:-1]
    tree.group(group, line).variables[name.strip()] = Typed(text=plain, line=line)
    return None


def _refuse_strangers(tree: Tree) -> None:
    for group in tree.groups.values():
        for child, line in group.children.items():
            if child not in tree.groups:
                tree.fault(line, f"the group `{child}`, which there is not", "a group of this inventory")

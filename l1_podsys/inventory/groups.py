"""Groups of an Ansible inventory, whatever they were written in, and what each host inherits from them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from l0_infra.core.errors import Fault
from l1_podsys.inventory.listed import Found, ListedHost, Note, Typed, fault_at
from l1_podsys.inventory.ssh_args import values_of_args
from l1_podsys.inventory.words import variable_of, why_not

__all__ = ["Group", "Tree", "resolve"]

EVERYBODY = ("all", "ungrouped")


@dataclass(kw_only=True, slots=True)
class Group:
    """One group as it is gathered: hosts, groups below it and variables, each with its line."""

    line: int
    hosts: dict[str, int] = field(default_factory=dict)
    children: dict[str, int] = field(default_factory=dict)
    variables: dict[str, Typed] = field(default_factory=dict)


@dataclass(kw_only=True, slots=True)
class Tree:
    """An inventory as it is gathered."""

    source: str
    groups: dict[str, Group] = field(default_factory=dict)
    variables: dict[str, dict[str, Typed]] = field(default_factory=dict)
    """Of each host."""
    notes: list[Note] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def group(self, name: str, line: int) -> Group:
        """Return a group, which is made where there is none yet."""
        return self.groups.setdefault(name, Group(line=line))

    def fault(self, line: int, found: str, expected: str, hint: str = "") -> None:
        """Note what is wrong with a line."""
        self.faults.append(fault_at(self.source, line, found, expected, hint))


def resolve(tree: Tree) -> Found:
    """Give every host what its groups say: those nearer to it win, of equally near ones the last by name."""
    depth = _depths(tree)
    above = _above(tree)
    lines: dict[str, int] = {}
    direct: dict[str, set[str]] = {}
    for name, group in tree.groups.items():
        for host, line in group.hosts.items():
            lines[host] = min(lines.get(host, line), line)
            direct.setdefault(host, set()).add(name)
    unknown = _Unknown(tree.source)
    hosts = []
    for host, line in sorted(lines.items(), key=lambda item: item[1]):
        groups = sorted(
            set().union(*(above[name] for name in direct[host])), key=lambda one: (depth[one], one)
        )
        inherited = [tree.groups[name].variables for name in ("all", *groups) if name in tree.groups]
        merged: dict[str, Typed] = {}
        for variables in (*inherited, tree.variables.get(host, {})):
            merged.update(variables)
        values = _values(merged, unknown, host)
        kept = tuple(name for name in groups if name not in EVERYBODY)
        hosts.append(ListedHost(name=Typed(text=host, line=line), groups=kept, values=values))
    notes = (*tree.notes, *unknown.notes())
    return Found(source=tree.source, hosts=tuple(hosts), notes=notes, faults=tuple(tree.faults))


def _depths(tree: Tree) -> Mapping[str, int]:
    """Say how far below `all` each group is; a circle of groups is a fault, and is cut."""
    order: list[str] = []
    below = {name: set(group.children) & tree.groups.keys() for name, group in tree.groups.items()}
    while True:
        try:
            order = [*TopologicalSorter(below).static_order()]
            break
        except CycleError as error:
            circle: list[str] = error.args[1]
            line = tree.groups[circle[0]].line
            tree.fault(line, f"groups in a circle: {' → '.join(circle)}", "groups without circles")
            for name in circle:
                tree.groups[name].children.clear()
                below[name] = set()
    depth = dict.fromkeys(order, 1)
    for name in reversed(order):
        for child in below[name]:
            depth[child] = max(depth[child], depth[name] + 1)
    return depth


def _above(tree: Tree) -> Mapping[str, set[str]]:
    """Name, of each group, itself and all groups that hold it."""
    parents: dict[str, set[str]] = {name: set() for name in tree.groups}
    for name, group in tree.groups.items():
        for child in group.children:
            if child in parents:
                parents[child].add(name)
    return {name: {name, *_ancestors(name, parents)} for name in tree.groups}


def _ancestors(name: str, parents: Mapping[str, set[str]]) -> Iterator[str]:
    waiting, seen = [*parents[name]], set[str]()
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            yield one
            waiting.extend(parents[one])


class _Unknown:
    """Variables that mean nothing here, gathered so that each is told once, whoever has it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: dict[tuple[str, str], tuple[int, set[str]]] = {}

    def add(self, name: str, why: str, typed: Typed, host: str) -> None:
        line, hosts = self.found.get((name, why), (typed.line, set()))
        hosts.add(host)
        self.found[name, why] = (min(line, typed.line), hosts)

    def notes(self) -> Iterator[Note]:
        for (name, why), (line, hosts) in sorted(self.found.items(), key=lambda item: (item[1][0], item[0])):
            more = f" ({len(hosts)} hosts)" if len(hosts) > 1 else ""
            yield Note(where=f"{self.source}:{line}", what=f"`{name}`{more}", why=why)


def _values(variables: Mapping[str, Typed], unknown: _Unknown, host: str) -> Mapping[str, Typed]:
    """Take what is understood of a host's variables; the rest is noted, never with its value."""
    values: dict[str, Typed] = {}
    for name, typed in variables.items():
        field_name = variable_of(name)
        if field_name is None:
            unknown.add(name, why_not(name), typed, host)
        elif typed.nested:
            unknown.add(name, "a list or a mapping is no value of it", typed, host)
        elif "{{" in typed.text:
            unknown.add(name, "it is a template, which is not evaluated here", typed, host)
        elif field_name == "ssh_args":
            taken, rest = values_of_args(typed)
            values.update(taken)
            for word in rest:
                unknown.add(f"{name}: {word}", "this option of ssh belongs into ~/.ssh/config", typed, host)
        elif field_name in values and values[field_name].text != typed.text:
            unknown.add(name, f"another variable says what its {field_name} is", typed, host)
        else:
            values.setdefault(field_name, typed)
    return values

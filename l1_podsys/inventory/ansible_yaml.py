"""Reads Ansible's inventory in its YAML form; values stay the texts that were typed, and keep their lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from l0_infra.core.errors import UsageError
from l1_podsys.inventory.groups import Tree
from l1_podsys.inventory.listed import Note, Typed
from l1_podsys.inventory.ranges import expand_range

if TYPE_CHECKING:
    from yaml import MappingNode, Node

__all__ = ["parse_yaml"]

KEYS = ("hosts", "children", "vars")
DEEPEST = 50
Pairs = Iterator[tuple[str, int, "Node"]]


def parse_yaml(text: str, source: str) -> Tree:
    """Read an inventory; what is wrong is listed with its lines."""
    import yaml

    tree = Tree(source=source)
    try:
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it cannot be read"
        tree.fault(mark.line + 1 if mark else 1, f"text that is no YAML: {problem}", "an inventory in YAML")
        return tree
    if root is None:
        return tree
    for name, line, node in _pairs(tree, root, "groups, by their names"):
        _group(tree, name, line, node, ())
    return tree


def _group(tree: Tree, name: str, line: int, node: Node, above: tuple[str, ...]) -> None:
    group = tree.group(name, line)
    if len(above) > DEEPEST or name in above:
        return tree.fault(line, f"`{name}` within itself", "groups without circles")
    for key, at, value in _pairs(tree, node, f"`hosts`, `children` or `vars` of the group `{name}`"):
        if key == "hosts":
            _hosts(tree, name, value)
        elif key == "children":
            for child, place, below in _pairs(tree, value, f"groups below `{name}`, by their names"):
                group.children.setdefault(child, place)
                _group(tree, child, place, below, (*above, name))
        elif key == "vars":
            group.variables.update(_variables(tree, value, f"variables of the group `{name}`"))
        else:
            why = "a group has `hosts`, `children` and `vars`; a host stands below `hosts`"
            tree.notes.append(
                Note(where=f"{tree.source}:{at}", what=f"`{key}` of the group `{name}`", why=why)
            )
    return None


def _hosts(tree: Tree, group: str, node: Node) -> None:
    for pattern, line, value in _pairs(tree, node, f"hosts of the group `{group}`, by their names"):
        variables = _variables(tree, value, f"variables of the host `{pattern}`")
        try:
            for host in expand_range(pattern):
                tree.group(group, line).hosts.setdefault(host, line)
                tree.variables.setdefault(host, {}).update(variables)
        except UsageError as error:
            tree.fault(line, error.found, error.expected, error.hint)


def _variables(tree: Tree, node: Node, what: str) -> dict[str, Typed]:
    from yaml import ScalarNode

    found: dict[str, Typed] = {}
    for name, line, value in _pairs(tree, node, what):
        if isinstance(value, ScalarNode):
            if not _is_null(value):
                found[name] = Typed(text=value.value, line=value.start_mark.line + 1)
        else:
            found[name] = Typed(text="", line=line, nested=True)
    return found


def _pairs(tree: Tree, node: Node, what: str) -> Pairs:
    """Yield what a mapping holds, each name once; null holds nothing."""
    from yaml import MappingNode

    if _is_null(node):
        return
    line = node.start_mark.line + 1
    if not isinstance(node, MappingNode):
        tree.fault(line, "something else", f"a mapping: {what}")
        return
    yield from _named(tree, node)


def _named(tree: Tree, node: MappingNode) -> Pairs:
    from yaml import ScalarNode

    seen: dict[str, int] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
            tree.fault(line, "a key that is no name" if not isinstance(key, ScalarNode) else "`<<`", "a name")
        elif (first := seen.setdefault(key.value, line)) != line:
            tree.fault(line, f"`{key.value}` again, as in line {first}", "each key once")
        else:
            yield key.value, line, value


def _is_null(node: Node) -> bool:
    return node.tag == "tag:yaml.org,2002:null"

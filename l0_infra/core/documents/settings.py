"""`--set a.b=c` laid over a document before it is checked, so that it is typed and faulted like the file."""

import re
from collections.abc import Sequence

from l0_infra.core.documents.compose import compose
from l0_infra.core.documents.tree import Broken, Finding, Listing, Mapping, Node, Path, Place, Scalar

__all__ = ["with_settings"]

_STEPS = re.compile(r"[^.\[\]=\s]+(?:\[[0-9]{1,9}\])*(?:\.[^.\[\]=\s]+(?:\[[0-9]{1,9}\])*)*")
_STEP = re.compile(r"\[([0-9]+)\]|([^.\[\]]+)")


def with_settings(root: Node, settings: Sequence[str]) -> tuple[Node, list[Finding]]:
    """Lay each `path=value` over the tree, the later over the earlier; return also what could not be laid.

    A path is `limits.time_s` or `depends_on[0].job`. A value that begins with `[`, `{` or a quote is YAML;
    any other is the text as typed. Mappings on the way are made; list items are not.
    """
    findings: list[Finding] = []
    for order, setting in enumerate(settings, start=1):
        place = Place(order, 1, 1, f"--set {setting}")
        try:
            path, text = _parse_setting(setting, place)
            root = _replaced(root, path, _value(text, place), place)
        except Broken as broken:
            findings.append(broken.finding)
    return root, findings


def _parse_setting(setting: str, place: Place) -> tuple[Path, str]:
    dotted, equals, text = setting.partition("=")
    if not equals or not _STEPS.fullmatch(dotted.strip()):
        raise Broken(
            place, f"`{setting}`", "`path=value`, such as `limits.time_s=2h` or `depends_on[0].job=12`"
        )
    steps = _STEP.findall(dotted.strip())
    return tuple(int(index) if index else name for index, name in steps), text


def _value(text: str, place: Place) -> Node:
    if text[:1] not in ("[", "{", "'", '"'):
        return Scalar(place=place, text=text.strip(), plain=True, last_line=1)
    composed = compose(text, place.source, order=place.order)
    if composed.findings or composed.root is None:
        first = composed.findings[0].fault
        raise Broken(place, first.found, first.expected, first.hint)
    return composed.root


def _replaced(node: Node, path: Path, value: Node, place: Place) -> Node:
    """Return `node` with the node at `path` replaced."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        if not isinstance(node, Listing) or step >= len(node.items):
            raise Broken(place, f"no item [{step}] there", "an item that the document has")
        items = list(node.items)
        items[step] = _replaced(items[step], rest, value, place)
        return Listing(place=node.place, items=tuple(items))
    if isinstance(node, Scalar) and node.is_null:
        node = Mapping(place=place, keys={}, values={})
    if not isinstance(node, Mapping):
        raise Broken(place, f"`{step}` below a value that has no keys", "a path through mappings")
    absent = Scalar(place=place, text="", plain=True, last_line=1)
    child = _replaced(node.values.get(step, absent), rest, value, place)
    return Mapping(place=node.place, keys={step: place} | node.keys, values=node.values | {step: child})

"""Text becomes a tree: composed from YAML's events, to bound depth and repetition and to keep every place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from l0_infra.core.documents.syntax import bad_character, syntax_finding
from l0_infra.core.documents.tree import Broken, Finding, Listing, Mapping, Node, Place, Scalar, finding

if TYPE_CHECKING:
    from yaml import Event

__all__ = ["Composed", "compose"]

MAX_DEPTH = 64
"""Deepest nesting of lists and mappings."""

MAX_REPEATED = 10_000
"""Most values that aliases may add to those written out."""


class Composed:
    """What a text held: the tree, unless the text broke off, and the faults met on the way."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.findings: list[Finding] = []

    def fail(self, broken: Finding) -> None:
        """Give up the tree."""
        self.root = None
        self.findings.append(broken)


class _Open:
    """A list or mapping whose end was not met yet; `size` and `height` count what it holds."""

    def __init__(self, place: Place, anchor: str | None, *, is_mapping: bool) -> None:
        self.place = place
        self.anchor = anchor
        self.is_mapping = is_mapping
        self.nodes: list[Node] = []
        self.size = 1
        self.height = 1


def compose(text: str, source: str, *, order: int = 0) -> Composed:
    """Compose one YAML document; never raises, whatever the text: what is wrong with it is in `findings`."""
    import yaml

    composer = _Composer(source, order)
    if bad := bad_character(text, source):
        composer.result.fail(bad)
        return composer.result
    composer.result.root = Scalar(place=Place(order, 1, 1, source), text="", plain=True, last_line=1)
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            composer.feed(event)
    except yaml.YAMLError as error:
        composer.result.fail(syntax_finding(error, text, order, source))
    except Broken as broken:
        composer.result.fail(broken.finding)
    return composer.result


class _Composer:
    def __init__(self, source: str, order: int) -> None:
        self.result = Composed()
        self.source = source
        self.order = order
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Node, int, int]] = {}
        self.repeated = 0
        self.documents = 0

    def feed(self, event: Event) -> None:
        """Take the next event; raises Broken where going on makes no sense."""
        import yaml

        place = self._place(event)
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            self._complain(
                place, f"the tag `{_short(event.tag)}`", "a value without a tag", "the schema says what it is"
            )
        if isinstance(event, yaml.ScalarEvent):
            last_line = event.end_mark.line + 1 if event.end_mark else place.line
            scalar = Scalar(place=place, text=event.value, plain=event.implicit[0], last_line=last_line)
            self._add(scalar, 1, 0, event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._repeat(str(event.anchor), place)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._check_depth(place, 1)
            self.stack.append(
                _Open(place, event.anchor, is_mapping=isinstance(event, yaml.MappingStartEvent))
            )
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self.stack.pop()
            self._add(self._close(done), done.size, done.height, done.anchor)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise Broken(place, "a second document", "one document in a file", "split the file at `---`")

    def _place(self, event: Event) -> Place:
        mark = event.start_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return Place(self.order, line, column, self.source)

    def _complain(self, place: Place, found: str, expected: str, hint: str = "") -> None:
        self.result.findings.append(finding(place, found, expected, hint))

    def _check_depth(self, place: Place, height: int) -> None:
        if len(self.stack) + height > MAX_DEPTH:
            raise Broken(place, "one more level of nesting", f"at most {MAX_DEPTH} levels")

    def _add(self, node: Node, size: int, height: int, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = (node, size, height)
        if not self.stack:
            self.result.root = node
            return
        around = self.stack[-1]
        around.nodes.append(node)
        around.size += size
        around.height = max(around.height, height + 1)

    def _repeat(self, anchor: str, place: Place) -> None:
        if anchor not in self.anchors:
            raise Broken(place, f"the alias `*{anchor}`", f"an anchor `&{anchor}` that ends before it")
        node, size, height = self.anchors[anchor]
        self._check_depth(place, height)
        self.repeated += size
        if self.repeated > MAX_REPEATED:
            raise Broken(place, "aliases that repeat too much", f"at most {MAX_REPEATED:,} repeated values")
        self._add(node, size, height, None)

    def _close(self, done: _Open) -> Node:
        if not done.is_mapping:
            return Listing(place=done.place, items=tuple(done.nodes))
        keys: dict[str, Place] = {}
        values: dict[str, Node] = {}
        merged: list[Node] = []
        for key, value in zip(done.nodes[::2], done.nodes[1::2], strict=True):
            if not isinstance(key, Scalar):
                self._complain(
                    key.place,
                    "a list or mapping as a key",
                    "a text",
                    "a text that begins with { or [ needs quotes",
                )
            elif key.plain and not key.text:
                self._complain(key.place, "an empty key", "a text before the colon")
            elif key.text == "<<" and key.plain:
                merged.append(value)
            elif key.text in keys:
                line = keys[key.text].line
                self._complain(
                    key.place, f"`{key.text}` a second time", f"each key once; line {line} has it too"
                )
            else:
                keys[key.text], values[key.text] = key.place, value
        for base in self._bases(merged):
            keys, values = base.keys | keys, base.values | values
        return Mapping(place=done.place, keys=keys, values=values)

    def _bases(self, merged: list[Node]) -> Iterator[Mapping]:
        """Yield the mappings that `<<` keys name, the first with the most say."""
        for value in merged:
            for base in value.items if isinstance(value, Listing) else (value,):
                if isinstance(base, Mapping):
                    yield base
                else:
                    self._complain(
                        base.place, "something else under `<<`", "a mapping, or a list of mappings"
                    )


def _short(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")

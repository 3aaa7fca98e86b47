"""Data that does not fit its type is held against the JSON Schema, so that all faults are told at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, cast

from l0_infra.core.documents.declare import Document
from l0_infra.core.documents.hints import (
    JsonSchema,
    commented_out,
    describe_found,
    describe_wanted,
    glued_findings,
    mending,
)
from l0_infra.core.documents.tree import Finding, Node, Path, Scalar, finding, key_place, node_at

if TYPE_CHECKING:
    from jsonschema import ValidationError

__all__ = ["Checker"]


@cache
def _value_schema(declaration: type[Document]) -> JsonSchema:
    import msgspec

    return cast(JsonSchema, msgspec.json.schema(declaration))


class Checker:
    """Tells what is wrong with data that the declaration refuses, in terms of the text it came from."""

    def __init__(self, declaration: type[Document], root: Node, text: str) -> None:
        self.declaration = declaration
        self.root = root
        self.text = text

    def findings(self, data: object, refusal: str) -> list[Finding]:
        """List all faults; `refusal` is msgspec's word, used when the schema sees nothing wrong."""
        from jsonschema import Draft202012Validator

        errors = Draft202012Validator(_value_schema(self.declaration)).iter_errors(data)
        found = [item for error in errors for leaf in _leaves(error) for item in self._tell(leaf)]
        return list(dict.fromkeys(found)) or [self._tell_refusal(refusal)]

    def _tell(self, error: ValidationError) -> Iterator[Finding]:
        path: Path = tuple(error.absolute_path)
        schema = cast(JsonSchema, error.schema)
        if error.validator == "required":
            yield from self._tell_missing(error, path)
        elif (tag := _tag(schema)) and isinstance(error.instance, dict):
            yield self._tell_tag(tag, schema, path)
        elif "propertyNames" in error.absolute_schema_path:
            key = str(error.instance)
            place = key_place(self.root, (*path, key))
            yield finding(
                place, f"the key `{key}`", describe_wanted({"type": "string"} | schema), path=(*path, key)
            )
        else:
            yield from self._tell_value(node_at(self.root, path), schema, path)

    def _tell_missing(self, error: ValidationError, path: Path) -> Iterator[Finding]:
        properties = cast(JsonSchema, error.schema)["properties"]
        present = cast(dict[str, object], error.instance)
        for key in cast(list[str], error.validator_value):
            if key not in present:
                schema = cast(dict[str, JsonSchema], properties)[key]
                wanted = f"`{key}`: {schema.get('description') or describe_wanted(schema)}"
                hint = commented_out(self.text, key)
                yield finding(node_at(self.root, path).place, f"no `{key}`", wanted.rstrip("."), hint, path)

    def _tell_tag(self, tag: str, union: JsonSchema, path: Path) -> Finding:
        tags: JsonSchema = {"enum": list(cast(dict[str, JsonSchema], union["discriminator"])["mapping"])}
        node = node_at(self.root, (*path, tag))
        if not isinstance(node, Scalar):
            return finding(node_at(self.root, path).place, f"no `{tag}`", describe_wanted(tags), path=path)
        return finding(
            node.place, describe_found(node), describe_wanted(tags), mending(node, tags), (*path, tag)
        )

    def _tell_value(self, node: Node, schema: JsonSchema, path: Path) -> Iterator[Finding]:
        glued = glued_findings(node, self.text, path) if schema.get("type") == "object" else []
        yield from glued
        if not glued:
            yield finding(
                node.place, describe_found(node), describe_wanted(schema), mending(node, schema), path
            )

    def _tell_refusal(self, refusal: str) -> Finding:
        reason, _, where = refusal.partition(" - at `$")
        steps = re.findall(r"\.([^.\[\]`]+)|\[(\d+)\]", where)
        path: Path = tuple(int(index) if index else name for name, index in steps)
        node = node_at(self.root, path)
        return finding(node.place, describe_found(node), f"a value that fits its type ({reason})", path=path)


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """Go down into the one member of a union that the value means, if there is one."""
    meant = _meant_branches(error) if error.validator == "anyOf" else []
    if len(meant) != 1:
        yield error
        return
    for inner in meant[0]:
        yield from _leaves(inner)


def _meant_branches(error: ValidationError) -> list[list[ValidationError]]:
    """Group a union's errors by member, without null and without the members that carry another tag."""
    members = cast(list[JsonSchema], error.validator_value)
    branches: dict[int, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(cast(int, inner.schema_path[0]), []).append(inner)
    tag = _tag(cast(JsonSchema, error.schema))
    return [
        inner
        for index, inner in branches.items()
        if members[index] != {"type": "null"} and not any(_refuses_tag(one, tag) for one in inner)
    ]


def _refuses_tag(error: ValidationError, tag: str | None) -> bool:
    if tag is None:
        return False
    missing = error.validator == "required" and tag not in cast(JsonSchema, error.instance)
    return list(error.relative_path) == [tag] or (missing and not error.relative_path)


def _tag(union: JsonSchema) -> str | None:
    discriminator = cast(dict[str, str], union.get("discriminator", {}))
    return discriminator.get("propertyName")

"""A document's fields in a line each, for people who would rather not read a JSON Schema."""

from collections.abc import Iterator
from typing import cast

import msgspec

from l0_infra.core.documents.declare import Document
from l0_infra.core.documents.hints import JsonSchema, describe_wanted
from l0_infra.core.documents.samples import inline

__all__ = ["FieldLine", "list_fields"]


class FieldLine(msgspec.Struct, frozen=True, kw_only=True):
    """One field: `path` is `limits.time_s` or `depends_on[].job`; `default` is empty for a required field."""

    path: str
    wanted: str
    default: str
    description: str


def list_fields(declaration: type[Document]) -> tuple[FieldLine, ...]:
    """List every field of a document and of its parts, in the order declared."""
    schema = msgspec.json.schema(declaration)
    definitions = cast(dict[str, JsonSchema], schema["$defs"])
    name = str(schema["$ref"]).rpartition("/")[2]
    return tuple(_lines(definitions[name], definitions, "", frozenset({name})))


def _lines(
    part: JsonSchema, definitions: dict[str, JsonSchema], prefix: str, above: frozenset[str]
) -> Iterator[FieldLine]:
    for key, schema in cast(dict[str, JsonSchema], part["properties"]).items():
        references = dict(_references(schema))
        yield FieldLine(
            path=prefix + key,
            wanted=describe_wanted(schema),
            default="" if references or "default" not in schema else inline(schema["default"]),
            description=str(schema.get("description", "")),
        )
        for name, suffix in references.items():
            if name not in above:
                yield from _lines(definitions[name], definitions, f"{prefix}{key}{suffix}.", above | {name})


def _references(schema: JsonSchema) -> Iterator[tuple[str, str]]:
    """Yield the names of the parts a field holds, each with `[]` or `.*` where it holds many."""
    if "$ref" in schema:
        yield str(schema["$ref"]).rpartition("/")[2], ""
    for member in cast(list[JsonSchema], schema.get("anyOf", [])):
        yield from _references(member)
    for keyword, suffix in (("items", "[]"), ("additionalProperties", ".*")):
        inner = schema.get(keyword)
        if isinstance(inner, dict):
            yield from ((name, suffix + below) for name, below in _references(inner))

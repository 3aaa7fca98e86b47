"""The JSON Schema of a declared document, as editors and other programs use it."""

import json
from typing import cast

import msgspec

from l0_infra.core.documents.declare import Document
from l0_infra.core.documents.hints import JsonSchema
from l0_infra.core.documents.introspect import kind_of

__all__ = ["json_schema", "render_schema", "schema_name"]

_PATTERNS = {
    "bytes": r"^[0-9]+(\.[0-9]+)? ?([KMGTPEkmgtpe][iI]?)?[Bb]?$",
    "seconds": r"^([0-9]+(\.[0-9]+)?(d|h|min|ms|m|s) ?)+$|^([0-9]+-)?[0-9]+:[0-5][0-9]:[0-5][0-9]$"
    r"|^[0-9]+-[0-9]{1,2}(:[0-5][0-9])?$|^[0-9]+(\.[0-9]+)?$",
}
"""What a file may write where the program holds a number; `units` has the last word."""


def json_schema(declaration: type[Document]) -> JsonSchema:
    """Return the JSON Schema (2020-12) of what a file of this kind may hold, units included."""
    generated = cast(JsonSchema, _with_units(msgspec.json.schema(declaration)))
    head: JsonSchema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": schema_name(declaration),
        "title": kind_of(declaration),
        "description": (declaration.__doc__ or "").strip(),
    }
    return head | generated


def render_schema(declaration: type[Document]) -> str:
    """Write the schema as the text of its committed file."""
    return json.dumps(json_schema(declaration), indent=2, ensure_ascii=False) + "\n"


def schema_name(declaration: type[Document]) -> str:
    """The name of the schema's file."""
    return f"{kind_of(declaration)}.schema.json"


def _with_units(schema: object) -> object:
    """Let every field with an `x-unit` be a text such as `64 GiB` too."""
    if isinstance(schema, list):
        return [_with_units(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: value if key == "default" else _with_units(value) for key, value in schema.items()}
    unit = inner.get("x-unit")
    return (
        inner | {"type": [inner["type"], "string"], "pattern": _PATTERNS[unit]}
        if unit in _PATTERNS
        else inner
    )

"""The machinery of shared documents: declared once, read with positions, checked whole, written back."""

from l0_infra.core.documents.brief import render_brief
from l0_infra.core.documents.checks import below, repeated, unknown
from l0_infra.core.documents.declare import Bytes, Document, Part, Seconds
from l0_infra.core.documents.example import render_example
from l0_infra.core.documents.fields import FieldLine, list_fields
from l0_infra.core.documents.introspect import kind_of
from l0_infra.core.documents.read import parse_document, place_faults, read_document
from l0_infra.core.documents.scalar_types import (
    Count,
    EnvironmentName,
    Name,
    Positive,
    Sha256,
    Text,
    Time,
)
from l0_infra.core.documents.schema import json_schema, render_schema, schema_name
from l0_infra.core.documents.write import render_document, render_json

__all__ = [
    "Bytes",
    "Count",
    "Document",
    "EnvironmentName",
    "FieldLine",
    "Name",
    "Part",
    "Positive",
    "Seconds",
    "Sha256",
    "Text",
    "Time",
    "below",
    "json_schema",
    "kind_of",
    "list_fields",
    "parse_document",
    "place_faults",
    "read_document",
    "render_brief",
    "render_document",
    "render_example",
    "render_json",
    "render_schema",
    "repeated",
    "schema_name",
    "unknown",
]

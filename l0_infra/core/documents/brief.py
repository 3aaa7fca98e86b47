"""A document as a person writes it: defaults are left out, short lists stand on one line, comments say why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from msgspec import NODEFAULT, Struct, structs

from l0_infra.core.documents.declare import Document
from l0_infra.core.documents.introspect import kind_of
from l0_infra.core.documents.write import document_dumper

if TYPE_CHECKING:
    from yaml import SafeDumper, SequenceNode

__all__ = ["render_brief"]

WIDEST = 100
"""Most characters of a list that stands on one line."""


def render_brief(document: Document, comments: Mapping[str, str] | None = None) -> str:
    """Write a document without what is at its default; `comments` stand above the fields they are named by."""
    said = {"kind": kind_of(type(document)), **_said(document)}
    pieces = (_piece(name, value, (comments or {}).get(name, "")) for name, value in said.items())
    return "".join(pieces)


def _piece(name: str, value: object, comment: str) -> str:
    import yaml

    text: str = yaml.dump({name: value}, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=2**20)
    above = "".join(f"# {line}".rstrip() + "\n" for line in comment.splitlines())
    return f"\n{above}{text}" if above else text


def _said(part: Struct) -> dict[str, object]:
    fields = {field.name: field for field in structs.fields(part)}
    values = {name: getattr(part, name) for name in fields}
    return {name: _plain(value) for name, value in values.items() if value != _default(fields[name])}


def _default(field: structs.FieldInfo) -> object:
    return field.default if field.default_factory is NODEFAULT else field.default_factory()


def _plain(value: object) -> object:
    if isinstance(value, Struct):
        return _said(value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


@cache
def _dumper() -> type[SafeDumper]:
    dumper: type[SafeDumper] = type("BriefDumper", (document_dumper(),), {})

    def represent_list(dumper: SafeDumper, values: list[object]) -> SequenceNode:
        plain = all(not isinstance(value, dict | list) for value in values)
        short = plain and sum(len(str(value)) + 2 for value in values) <= WIDEST
        return dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=short)

    dumper.add_representer(list, represent_list)
    return dumper

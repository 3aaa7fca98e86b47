"""A commented example of a document, made from its declaration, to start a file from."""

from collections.abc import Iterator
from textwrap import wrap

import msgspec
from msgspec import inspect

from l0_infra.core.documents.declare import Document
from l0_infra.core.documents.introspect import (
    bare_type,
    described,
    examples_of,
    kind_of,
    struct_type,
    unit_of,
)
from l0_infra.core.documents.samples import inline, sample_value, unit_text

__all__ = ["render_example"]

_LISTS = (inspect.ListType, inspect.VarTupleType)


def render_example(declaration: type[Document], *, schema: str) -> str:
    """Write an example that checks: required fields have a value, the rest stands behind `#` as its default.

    A field that declares `Meta(examples=[…])` shows the first of them, also where it is not required.
    `schema` is the path or URL of the schema's file, for editors. Each field follows its description.
    """
    head = [
        f"# yaml-language-server: $schema={schema}",
        *_prose((declaration.__doc__ or "").strip()),
        "# `#key: value` shows a default; remove the `#` to change it.",
        "",
        f"kind: {kind_of(declaration)}",
    ]
    return "\n".join([*head, *_fields(struct_type(declaration), all_active=False, gap=[""])]) + "\n"


def _fields(struct: inspect.StructType, *, all_active: bool, gap: list[str]) -> Iterator[str]:
    """Write the fields of a struct; those with a default behind `#`, unless `all_active`."""
    for field in struct.fields:
        mark = "" if field.required or all_active or examples_of(field.type) else "#"
        yield from gap
        yield from _prose(described(field.type))
        yield from (f"{mark}{line}" for line in _field(field))


def _field(field: inspect.Field) -> list[str]:
    """Write one field with its value, in as many lines as it takes."""
    wanted = bare_type(field.type)
    if examples := examples_of(field.type):
        return [f"{field.encode_name}: {inline(examples[0])}"]
    if isinstance(wanted, inspect.StructType):
        return [f"{field.encode_name}:", *(f"  {line}" for line in _struct(wanted, field.required))]
    if isinstance(wanted, _LISTS) and isinstance(item := bare_type(wanted.item_type), inspect.StructType):
        lines = _struct(item, field.required)
        dashes = ["- "] + ["  "] * (len(lines) - 1)
        return [
            f"{field.encode_name}:",
            *(f"  {dash}{line}" for dash, line in zip(dashes, lines, strict=True)),
        ]
    value = sample_value(field.type) if field.required else _default(field)
    return [f"{field.encode_name}: {unit_text(value, unit_of(field.type)) or inline(value)}"]


def _struct(struct: inspect.StructType, required: bool) -> list[str]:
    tag = [f"{struct.tag_field}: {struct.tag}"] if struct.tag_field else []
    nothing_required = not tag and not any(field.required for field in struct.fields)
    return [*tag, *_fields(struct, all_active=not required or nothing_required, gap=[])]


def _default(field: inspect.Field) -> object:
    if field.default is not msgspec.NODEFAULT:
        return msgspec.to_builtins(field.default)
    return msgspec.to_builtins(field.default_factory())


def _prose(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(" ".join(text.split()), 100)]

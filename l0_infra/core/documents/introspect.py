"""What a declaration says of itself: its kind and its types."""

from collections.abc import Sequence
from functools import cache

from msgspec import inspect

from l0_infra.core.documents.declare import Document

__all__ = ["bare_type", "described", "examples_of", "kind_of", "struct_type", "unit_of"]


def kind_of(declaration: type[Document]) -> str:
    """The kind that a document is tagged with."""
    return str(declaration.__struct_config__.tag)


@cache
def struct_type(declaration: type[Document]) -> inspect.StructType:
    """The document's fields as msgspec sees them; raises TypeError for what is no struct."""
    struct = inspect.type_info(declaration)
    if not isinstance(struct, inspect.StructType):
        raise TypeError(f"{declaration!r} is not a document")
    return struct


def bare_type(wanted: inspect.Type) -> inspect.Type:
    """The type without its annotations and, of a union, the first member that is not null."""
    while isinstance(wanted, inspect.Metadata | inspect.UnionType):
        if isinstance(wanted, inspect.Metadata):
            wanted = wanted.type
            continue
        wanted = next(member for member in wanted.types if not isinstance(member, inspect.NoneType))
    return wanted


def described(wanted: inspect.Type) -> str:
    """The description of a field, empty when it has none."""
    return str(_extra(wanted, "description") or "")


def examples_of(wanted: inspect.Type) -> Sequence[object]:
    """The examples that a field declares with `Meta(examples=[…])`."""
    examples = _extra(wanted, "examples")
    return examples if isinstance(examples, list) else ()


def unit_of(wanted: inspect.Type) -> str | None:
    """The `x-unit` of a field: `bytes`, `seconds` or none."""
    unit = _extra(wanted, "x-unit")
    return str(unit) if unit else None


def _extra(wanted: inspect.Type, key: str) -> object:
    if isinstance(wanted, inspect.Metadata):
        return (wanted.extra_json_schema or {}).get(key) or _extra(wanted.type, key)
    members = wanted.types if isinstance(wanted, inspect.UnionType) else ()
    return next((extra for member in members if (extra := _extra(member, key))), None)

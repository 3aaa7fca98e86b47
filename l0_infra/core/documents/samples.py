"""A value that a type accepts, for examples: the declaration's own example, else the plainest that fits."""

import json
import re

from msgspec import inspect

from l0_infra.core.documents.introspect import examples_of
from l0_infra.core.units import format_bytes, format_duration, parse_bytes

__all__ = ["inline", "sample_value", "unit_text"]

_TEXTS = (
    "example", "example-1", "0-9", "1", "10.0.0.1", "10.0.0.0/24", "00:11:22:33:44:55", "0000:00:00.0",
    "/srv/example", "EXAMPLE", "1.0", "1.0.0", "2026-01-01", "2026-01-01T00:00:00Z", "nvidia:0",
    "sha256:" + "0" * 64, "0" * 64, "https://example.org/",
)  # fmt: skip
"""Texts tried in this order where a field has a pattern and no `examples` of its own."""

_BARE = re.compile(
    r"(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z/][\w./-]*(?::[\w./-]+)*", re.IGNORECASE
)


def sample_value(wanted: inspect.Type) -> object:
    """Return plain data that `wanted` accepts; a mapping for a struct holds its required fields."""
    if isinstance(wanted, inspect.Metadata):
        examples = examples_of(wanted)
        return examples[0] if examples else sample_value(wanted.type)
    if isinstance(wanted, inspect.UnionType):
        return sample_value(next(m for m in wanted.types if not isinstance(m, inspect.NoneType)))
    if isinstance(wanted, inspect.LiteralType):
        return wanted.values[0]
    if isinstance(wanted, inspect.StructType):
        tag = {wanted.tag_field: wanted.tag} if wanted.tag_field else {}
        return tag | {
            field.encode_name: sample_value(field.type) for field in wanted.fields if field.required
        }
    if isinstance(wanted, inspect.ListType | inspect.VarTupleType):
        return [sample_value(wanted.item_type)] * max(1, wanted.min_length or 0)
    if isinstance(wanted, inspect.DictType):
        return {str(sample_value(wanted.key_type)): sample_value(wanted.value_type)}
    return _sample_scalar(wanted)


def _sample_scalar(wanted: inspect.Type) -> object:
    if isinstance(wanted, inspect.BoolType):
        return False
    if isinstance(wanted, inspect.IntType | inspect.FloatType):
        least = wanted.ge if wanted.ge is not None else (wanted.gt or 0) + 1
        return max(1, least) if wanted.le is None else min(max(1, least), wanted.le)
    pattern = wanted.pattern if isinstance(wanted, inspect.StrType) else None
    return next((text for text in _TEXTS if re.search(pattern or "", text)), _TEXTS[0])


def unit_text(value: object, unit: object) -> str | None:
    """Write a quantity with its unit where that loses nothing: `64 MiB`, `30s`; None for any other value."""
    if unit == "seconds" and isinstance(value, int | float):
        return format_duration(value)
    if unit == "bytes" and isinstance(value, int) and parse_bytes(format_bytes(value)) == value:
        return format_bytes(value)
    return None


def inline(value: object) -> str:
    """Write plain data on one line, without quotes where every reader of YAML sees a text anyway."""
    if isinstance(value, str):
        return value if _BARE.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(inline, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{inline(key)}: {inline(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)

"""What a person most likely meant: the nearest name, the right spelling of true, quotes to remove."""

import re
from collections.abc import Iterable

from l0_infra.core.documents.syntax import glued_lines
from l0_infra.core.documents.tree import Finding, Listing, Mapping, Node, Path, Place, Scalar, finding
from l0_infra.core.errors import UsageError
from l0_infra.core.units import parse_bytes, parse_duration

__all__ = [
    "JsonSchema",
    "commented_out",
    "describe_found",
    "describe_wanted",
    "glued_findings",
    "mending",
    "nearest",
]

JsonSchema = dict[str, object]

_TRUE = {"yes", "y", "on", "true", "1"}
_FALSE = {"no", "n", "off", "false", "0"}
_UNITS = {
    "bytes": "a size such as `4096` or `64 GiB`",
    "seconds": "a duration such as `90`, `2h30m` or `1-12:00:00`",
}
_TYPES = {
    "integer": "an integer",
    "number": "a number",
    "string": "a text",
    "boolean": "`true` or `false`",
    "null": "null",
    "array": "a list",
    "object": "a mapping",
}


def nearest(word: str, names: Iterable[str]) -> str:
    """Ask `did you mean …?` for the name closest to `word`; empty when none is close."""
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in names}
    close = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return f"did you mean `{by_lower[close[0]]}`?" if close else ""


def commented_out(text: str, key: str) -> str:
    """Say on which line `key` stands behind a `#`; empty when on none."""
    match = re.search(rf"^[ \t]*#[# \t]*(?:- +)?{re.escape(key)}[ \t]*:", text, re.MULTILINE)
    if match is None:
        return ""
    return f"line {text.count(chr(10), 0, match.start()) + 1} has `{key}`, but behind a `#`"


def describe_found(node: Node) -> str:
    """Say what stands there."""
    if isinstance(node, Listing):
        return "a list" if node.items else "an empty list"
    if isinstance(node, Mapping):
        return "a mapping" if node.values else "an empty mapping"
    if node.plain and not node.text:
        return "nothing"
    shown = node.text if len(node.text) <= 60 else f"{node.text[:57]}..."
    shown = shown.replace("\n", "⏎")
    return f"`{shown}`" if node.plain else f'`"{shown}"`'


def describe_wanted(schema: JsonSchema) -> str:
    """Say in words what a schema accepts."""
    if isinstance(choices := schema.get("enum"), list):
        return ("one of " if len(choices) > 1 else "") + ", ".join(f"`{choice}`" for choice in choices)
    if isinstance(members := schema.get("anyOf"), list):
        return " or ".join(dict.fromkeys(describe_wanted(member) for member in members))
    if isinstance(words := schema.get("x-words"), str):
        return words
    kind = str(schema.get("type", "object"))
    words = _UNITS.get(str(schema.get("x-unit"))) or _TYPES[kind]
    if "pattern" in schema:
        words += f" that matches `{schema['pattern']}`"
    return words + _bounds(schema)


def mending(node: Node, schema: JsonSchema) -> str:
    """Say how to mend a value of the wrong kind; empty when nothing is obvious."""
    kind = schema.get("type")
    if kind == "array" and isinstance(node, Scalar):
        return "write `[…]`, or one line with `- ` for each item"
    if not isinstance(node, Scalar):
        return ""
    if isinstance(choices := schema.get("enum"), list):
        return nearest(node.text, map(str, choices))
    if kind == "boolean":
        return _mend_boolean(node.text)
    if kind in ("integer", "number"):
        return _mend_quantity(node.text, schema) if "x-unit" in schema else _mend_number(node)
    if kind == "string" and node.plain and not (node.text or "pattern" in schema or "minLength" in schema):
        return 'write `""` if the empty text is meant'
    return ""


def glued_findings(node: Node, text: str, path: Path = ()) -> list[Finding]:
    """Tell each line of a plain text that was meant as `key: value`; none if that is not what it is."""
    if not isinstance(node, Scalar) or not node.plain or node.place.order != 0:
        return []
    return [
        finding(
            Place(0, line, column, node.place.source),
            f"`{typed}`",
            "a space after the colon",
            f"write `{meant}`",
            path,
        )
        for line, column, typed, meant in glued_lines(text, node.place.line, node.last_line)
    ]


def _bounds(schema: JsonSchema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low == 0 and "x-unit" in schema:
        low = None
    if low is not None and high is not None:
        return f" from {low} to {high}"
    limits = (
        (low, " of {} or more"),
        (high, " of {} or less"),
        (schema.get("exclusiveMinimum"), " above {}"),
        (schema.get("exclusiveMaximum"), " below {}"),
        (schema.get("minLength") or None, " of {} or more characters"),
        (schema.get("maxLength"), " of at most {} characters"),
        (schema.get("minItems"), " of {} or more items"),
        (schema.get("maxItems"), " of at most {} items"),
        (schema.get("minProperties"), " of {} or more keys"),
        (schema.get("maxProperties"), " of at most {} keys"),
        (schema.get("multipleOf"), " that is a multiple of {}"),
    )
    return "".join(words.format(limit) for limit, words in limits if limit is not None)


def _mend_boolean(text: str) -> str:
    if text.lower() in _TRUE:
        return "write `true`"
    return "write `false`" if text.lower() in _FALSE else ""


def _mend_quantity(text: str, schema: JsonSchema) -> str:
    try:
        _ = parse_bytes(text) if schema["x-unit"] == "bytes" else parse_duration(text)
    except UsageError as error:
        return error.hint
    return ""


def _mend_number(node: Scalar) -> str:
    if not node.plain and re.fullmatch(r"[-+0-9.eE]+", node.text):
        return "remove the quotes"
    if re.fullmatch(r"[-+]?[0-9]{19,}", node.text):
        return f"a number here fits into 64 bits: at most {2**63 - 1}"
    bare = re.sub(r"[_, ]", "", node.text)
    return f"write `{bare}`" if bare != node.text and re.fullmatch(r"[-+]?[0-9]+(\.[0-9]+)?", bare) else ""

"""A document becomes text again: YAML that reads back as the same document here and elsewhere, or JSON."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from yaml import SafeDumper, ScalarNode

__all__ = ["document_dumper", "render_document", "render_json"]

_LOOKS_TYPED = re.compile(
    r"[-+.]?[0-9][0-9_:.eExXoO+-]*|[-+]?\.(inf|nan)|0[xo][0-9a-f]+|[yn~]|<<|=", re.IGNORECASE
)
_BREAKS = re.compile("[\x85\u2028\u2029]")
_RAW = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SIMPLE_LINES = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?\n)+")


def render_document(document: object) -> str:
    """Write a document, a part or a list of them as YAML: `kind` first, then every field in the order declared.

    Texts that some reader might take for a number, a boolean or null are quoted.
    """
    import yaml

    data = msgspec.to_builtins(document)
    text: str = yaml.dump(data, Dumper=document_dumper(), sort_keys=False, allow_unicode=True, width=2**20)
    return text


def render_json(document: object) -> str:
    """Write the same as indented JSON; characters that YAML takes for line ends or refuses are escaped."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    return _RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


@cache
def document_dumper() -> type[SafeDumper]:
    """Make a dumper that quotes as `_style` says and writes a value that occurs twice twice."""
    import yaml

    fastest = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    dumper: type[SafeDumper] = type("Dumper", (fastest,), {"ignore_aliases": lambda *_: True})

    def represent_text(dumper: SafeDumper, text: str) -> ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))

    dumper.add_representer(str, represent_text)
    return dumper


def _style(text: str) -> str | None:
    """Choose quotes for what looks typed, a block for plain lines, else leave it to YAML."""
    if _BREAKS.search(text):
        return '"'
    if _LOOKS_TYPED.fullmatch(text):
        return "'"
    return "|" if _SIMPLE_LINES.fullmatch(text) and text.count("\n") > 1 else None

"""What can be wrong with a text before it is a tree: its bytes, its characters, YAML's own rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from l0_infra.core.documents.tree import Finding, Place, finding

if TYPE_CHECKING:
    from yaml import YAMLError

__all__ = ["GluedLine", "bad_character", "decode", "glued_lines", "syntax_finding"]

GluedLine = tuple[int, int, str, str]
"""Line, column, the text as typed, the text as meant."""

_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_GLUED = re.compile(r"(\s*(?:- +)?)([A-Za-z_][\w.-]*):([^\s:/].*?)\s*")

_BLAME_THE_START = ("could not find expected ':'", "end of stream", "did not find expected ','")
"""Problems met long after the place that a person must mend."""

_PROBLEMS = (
    (
        "cannot start any token",
        "a tab or a reserved character",
        "spaces for indentation, and quotes around @ ` %",
    ),
    ("could not find expected ':'", "a line without `: `", "`key: value`"),
    (
        "did not find expected key",
        "a line indented unlike its neighbours",
        "keys of one mapping in one column",
    ),
    ("block sequence entries are not allowed", "`- ` where no list may begin", "a list on lines of its own"),
    ("did not find expected '-' indicator", "a line among list items that is none", "`- ` before each item"),
    ("did not find expected ',' or ']'", "a list that is not closed", "`,` between items and `]` at the end"),
    (
        "did not find expected ',' or '}'",
        "a mapping that is not closed",
        "`,` between pairs and `}` at the end",
    ),
    ("unexpected end of stream", "the end of the file inside quotes", "the closing quote"),
    ("unexpected document indicator", "`---` inside quotes", "the closing quote"),
    ("unknown escape character", "an unknown escape", "single quotes, in which a backslash is just itself"),
    ("maximum nesting depth", "too many levels of nesting", "fewer levels"),
    ("alphabetic or numeric character", "`&` or `*` without a name", "quotes around a text that begins so"),
    (
        "expected node content",
        "a sign where a value belongs",
        "a value, or quotes around a text that begins so",
    ),
    ("comment or line break", "more text behind `|` or `>`", "the text on lines of its own, indented"),
    ("unexpected ':'", "a colon inside brackets", "a space after it, or quotes around the text"),
    ("<document start>", "more text behind the end of the document", "one document in a file"),
    ("tab character", "a tab", "spaces"),
    ("directive", "`%` at the start of a line", "quotes around a text that begins so"),
    ("undefined tag handle", "a tag", "a value without a tag"),
)
"""What YAML's parser says, what it means to a person, what is wanted instead."""


def decode(data: bytes, source: str) -> str | Finding:
    """Decode UTF-8, with or without a byte order mark."""
    if data[:2] in _ENCODINGS:
        return finding(Place(0, 1, 1, source), f"{_ENCODINGS[data[:2]]} text", "UTF-8 text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        return finding(
            _place_after(before, source),
            f"the byte 0x{data[error.start]:02x}",
            "UTF-8 text",
            "save the file as UTF-8",
        )


def bad_character(text: str, source: str) -> Finding | None:
    """Find the first character that no document may hold."""
    match = _FORBIDDEN.search(text)
    if match is None:
        return None
    place = _place_after(text[: match.start()], source)
    return finding(place, f"the character U+{ord(match[0]):04X}", "printable text")


def syntax_finding(error: YAMLError, text: str, order: int, source: str) -> Finding:
    """Say in our words, and with the line that is to blame, what YAML's parser met."""
    problem = str(getattr(error, "problem", None) or error)
    mark = getattr(error, "problem_mark", None)
    if any(words in problem for words in _BLAME_THE_START):
        mark = getattr(error, "context_mark", None) or mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    for glued_line, glued_column, typed, meant in glued_lines(text, max(1, line - 1), line):
        if order == 0 and "not" in problem:
            place = Place(order, glued_line, glued_column, source)
            return finding(place, f"`{typed}`", "a space after the colon", f"write `{meant}`")
    found, expected = _in_words(problem, (text.splitlines() or [""])[line - 1 : line], column)
    return finding(Place(order, line, column, source), found, expected)


def _in_words(problem: str, lines: list[str], column: int) -> tuple[str, str]:
    """Say what was found and what is expected; `lines` holds the line to blame, if there is one."""
    before, here = (lines[0][: column - 1], lines[0][column - 1 : column]) if lines else ("", "")
    if "cannot start any token" in problem:
        return ("a tab", "spaces") if here == "\t" else (f"`{here}` before a text", "quotes around the text")
    if "mapping values are not allowed" in problem:
        if ": " in before:
            return "a second `: ` in one value", "quotes around a text that holds `: `"
        return "a key indented deeper than its neighbours", "keys of one mapping in one column"
    for words, found, expected in _PROBLEMS:
        if words in problem:
            return found, expected
    return f"text that is not YAML ({problem})", "YAML"


def glued_lines(text: str, first: int, last: int) -> Iterator[GluedLine]:
    """Yield each of these lines, counted from 1, that says `key:value` without a space."""
    for number, line in enumerate(text.splitlines()[first - 1 : last], start=first):
        if match := _GLUED.fullmatch(line):
            yield number, len(match[1]) + 1, line[len(match[1]) :].strip(), f"{match[2]}: {match[3]}"


def _place_after(before: str, source: str) -> Place:
    lines = (before + "|").splitlines()
    return Place(0, len(lines), len(lines[-1]), source)

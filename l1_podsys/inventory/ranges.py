"""Ansible's ranges in names of hosts: `node[01:10]`, `rack[a:c]-[1:8:2]`."""

import re
from collections.abc import Iterator
from itertools import product
from string import ascii_letters

from l0_infra.core.errors import UsageError

__all__ = ["expand_range"]

LIMIT = 100_000
BRACKET = re.compile(r"\[([^\[\]]*)\]")
SPAN = re.compile(r"(?P<first>[0-9]+|[a-zA-Z]):(?P<last>[0-9]+|[a-zA-Z])(?::(?P<step>[1-9][0-9]*))?")


def expand_range(pattern: str) -> Iterator[str]:
    """Yield the names a pattern means. Raises UsageError for a range that is none, or that runs backwards."""
    pieces = BRACKET.split(pattern)
    if "[" in "".join(pieces[::2]) or "]" in "".join(pieces[::2]):
        raise _bad(pattern, "a bracket that is not closed")
    axes = [list(_span(pattern, piece)) if place % 2 else [piece] for place, piece in enumerate(pieces)]
    yield from ("".join(parts) for parts in product(*axes))


def _span(pattern: str, text: str) -> Iterator[str]:
    span = SPAN.fullmatch(text)
    if span is None:
        colon = text.replace("-", ":")
        raise _bad(pattern, f"`[{text}]`", f"Ansible writes it `[{colon}]`" if SPAN.fullmatch(colon) else "")
    first, last, step = span["first"], span["last"], int(span["step"] or 1)
    if first.isdigit() and last.isdigit():
        width = len(first) if first.startswith("0") else 1
        if int(last) < int(first):
            raise _bad(pattern, f"`[{text}]`, which runs backwards")
        if int(last) - int(first) > LIMIT:
            raise _bad(pattern, f"`[{text}]`, more than {LIMIT:,} hosts")
        if width > 1 and len(last) != width:
            raise _bad(pattern, f"`[{text}]`, whose ends differ in width")
        yield from (str(number).zfill(width) for number in range(int(first), int(last) + 1, step))
    elif first.isdigit() or last.isdigit() or ascii_letters.index(last) < ascii_letters.index(first):
        raise _bad(pattern, f"`[{text}]`")
    else:
        yield from ascii_letters[ascii_letters.index(first) : ascii_letters.index(last) + 1 : step]


def _bad(pattern: str, found: str, hint: str = "") -> UsageError:
    expected = "a range such as `node[01:10]`"

    return UsageError(
        "range",
        found=f"{found} in `{pattern}`",
        expected=expected,
        hint=hint,
    )

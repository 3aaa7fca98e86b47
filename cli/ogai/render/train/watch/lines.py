"""Lines of a picture: fields that flow, text that wraps, and nothing wider than the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from l0_infra.core.errors import printable
from ogai.render.glyphs import Glyphs

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["LABEL", "fit", "flow", "labelled", "one_line"]

LABEL = 12
GAP = "   "


def one_line(text: str) -> str:
    """Write a text of any kind on one line, with nothing in it that steers a terminal."""
    return printable(" ".join(text.split()))


def flow(fields: Iterable[tuple[str, str]], width: int) -> Iterator[Text]:
    """Put names and values beside each other, as many as fit on a line."""
    from rich.text import Text

    line = Text()
    for name, value in fields:
        field = Text.assemble(f"{name} " if name else "", (value, "bold"))
        if line and line.cell_len + len(GAP) + field.cell_len > width:
            yield line
            line = Text()
        line = Text.assemble(line, GAP, field) if line else field
    if line:
        yield line


def labelled(label: str, text: str, width: int, *, most: int = 2, style: str = "bold") -> Iterator[Text]:
    """Put a text beside its label, wrapped to at most so many lines."""
    from rich.text import Text

    room = max(8, width - LABEL)
    lines = wrap(one_line(text), room, max_lines=most, placeholder=" …") or [""]
    for number, line in enumerate(lines):
        yield Text.assemble((f"{'' if number else label:<{LABEL}}", style), line)


def fit(lines: Sequence[Text], *, width: int, glyphs: Glyphs) -> list[Text]:
    """Cut lines off at the width, and write other than ASCII as `?` where a terminal shows nothing else."""
    from rich.text import Text

    fitted = []
    for line in lines:
        if not glyphs.braille and not line.plain.isascii():
            plain = "".join(
                sign if sign.isascii() else glyphs.more if sign == "…" else "?" for sign in line.plain
            )
            line = Text(plain, spans=line.spans)
        if line.cell_len > width:
            line = line.copy()
            line.truncate(width - 1)
            line.append(glyphs.more)
        line.no_wrap, line.overflow = True, "crop"
        fitted.append(line)
    return fitted

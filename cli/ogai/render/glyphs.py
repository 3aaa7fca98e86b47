"""The signs that pictures are drawn with: those of Unicode, or ASCII where a terminal shows no others."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ASCII", "UNICODE", "Glyphs", "choose_glyphs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Glyphs:
    """One sign for each purpose, each one column wide."""

    full: str
    empty: str
    more: str
    fault: str
    checkpoint: str
    point: str
    vertical: str
    corner: str
    horizontal: str
    tick_x: str
    tick_y: str
    braille: bool
    """Whether curves are drawn with Braille patterns, eight dots to a character."""


UNICODE = Glyphs(
    full="█",
    empty="░",
    more="…",
    fault="▲",
    checkpoint="◆",
    point="●",
    vertical="│",
    corner="└",
    horizontal="─",
    tick_x="┬",
    tick_y="┤",
    braille=True,
)
ASCII = Glyphs(
    full="#",
    empty="-",
    more="~",
    fault="^",
    checkpoint="+",
    point="o",
    vertical="|",
    corner="+",
    horizontal="-",
    tick_x="|",
    tick_y="+",
    braille=False,
)
NEEDED = "█░…▲◆●│└─┬┤⣿"
COERCED = "C.UTF-8"
"""What Python puts into LC_CTYPE by itself where a person asked for the C locale (PEP 538)."""


def choose_glyphs(encoding: str, environ: Mapping[str, str]) -> Glyphs:
    """Choose by the encoding of the output, the locale a person asked for, and the kind of terminal.

    A Linux console has no font for Braille patterns.
    """
    names = [environ.get("LC_ALL", ""), environ.get("LC_CTYPE", ""), environ.get("LANG", "")]
    asked = next((name for name in names if name not in ("", COERCED)), "")
    if asked in ("C", "POSIX") or environ.get("TERM") == "linux" or not can_write(encoding):
        return ASCII
    return UNICODE


def can_write(encoding: str) -> bool:
    """Tell whether all signs exist in an encoding."""
    try:
        NEEDED.encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True

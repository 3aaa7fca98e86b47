"""A text of the catalogue is found in a line: its fixed pieces one after the other, and between them what varies.

The first place where each piece can stand is looked for, one after the other, and no way back is ever taken: no
line, however made, costs more than its length.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

__all__ = ["VIRTUAL", "Found", "Pattern", "match_line", "parse_pattern"]

VARYING = re.compile(r"(\*|\{device\}|\{interface\}|\{code\})")
LONGEST_DEVICE = 64
TRIMMED = " \t,.;:()[]<>'\""
CODE = re.compile(r"[0-9]{1,9}(?![0-9])")
INTERFACE = re.compile(r"[A-Za-z][A-Za-z0-9_.@-]{1,14}")
VIRTUAL = (
    *("veth", "cali", "lxc", "lxd", "cilium", "docker", "br-", "cni", "flannel", "virbr", "vnet", "vxlan"),
    *("tap", "tun", "wg", "dummy", "kube", "nodelocaldns", "gre", "ovn", "ovs"),
)
"""How names of network interfaces begin that are made and unmade with every container."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What stands in a line in place of `{device}` or `{interface}`, and of `{code}`."""

    device: str | None = None
    code: int | None = None


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """One line of a text: fixed pieces, and what varies before each and after the last ("": nothing)."""

    pieces: tuple[str, ...]
    gaps: tuple[str, ...]

    @cached_property
    def anchor(self) -> str:
        """The longest fixed piece, by which lines are picked that are worth a closer look."""
        return max(self.pieces, key=len)


def parse_pattern(text: str) -> Pattern:
    """Cut one line of a text at what varies; what varies next to each other counts as its last."""
    pieces: list[str] = []
    gaps = [""]
    for token in VARYING.split(text):
        if VARYING.fullmatch(token):
            gaps[-1] = token
        elif token:
            pieces.append(token)
            gaps.append("")
    return Pattern(pieces=tuple(pieces), gaps=tuple(gaps))


def match_line(line: str, pattern: Pattern) -> Found | None:
    """Find a pattern in a line; None when it is not there, or when what varies is not what it should be."""
    regions = _regions(line, pattern.pieces)
    if regions is None:
        return None
    told: dict[str, str | None] = {}
    for place, (gap, region) in enumerate(zip(pattern.gaps, regions, strict=True)):
        if gap in READ:
            told[gap] = READ[gap](_words(region, first=place == 0, last=place == len(pattern.pieces)))
    if None in told.values():
        return None
    code = told.get("{code}")
    return Found(
        device=told.get("{device}") or told.get("{interface}"), code=None if code is None else int(code)
    )


def _regions(line: str, pieces: tuple[str, ...]) -> list[str] | None:
    """Return what stands before each piece and after the last."""
    regions, at = [], 0
    for piece in pieces:
        start = line.find(piece, at)
        if start < 0:
            return None
        regions.append(line[at:start])
        at = start + len(piece)
    return [*regions, line[at:]]


def _words(region: str, *, first: bool, last: bool) -> str:
    """Return the word next to the piece where a region ends at the line's end, else all of it."""
    if first or last:
        words = region.split(None, 1) if last else region.rsplit(None, 1)
        region = words[0 if last else -1] if words else ""
    return region.strip(TRIMMED)


def _code(words: str) -> str | None:
    found = CODE.match(words)
    return found[0] if found else None


def _device(words: str) -> str | None:
    return words if 0 < len(words) <= LONGEST_DEVICE else None


def _interface(words: str) -> str | None:
    return words if INTERFACE.fullmatch(words) and not words.startswith(VIRTUAL) else None


READ: dict[str, Callable[[str], str | None]] = {
    "{code}": _code,
    "{device}": _device,
    "{interface}": _interface,
}

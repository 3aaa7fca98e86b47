"""Makes a drawn SVG a part of a page: its colours become the style sheet's, its ids its own."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from ogai.render.report.figures import Tone

__all__ = ["PALETTE", "embed"]

PALETTE: Mapping[Tone, str] = {
    "ink": "#0a0a01", "muted": "#0a0a02", "faint": "#0a0a03", "grid": "#0a0a04", "paper": "#0a0a05",
    "accent": "#0a0a06", "good": "#0a0a07", "warn": "#0a0a08", "bad": "#0a0a09",
    "series-1": "#0a0a11", "series-2": "#0a0a12", "series-3": "#0a0a13", "series-4": "#0a0a14",
    "series-5": "#0a0a15", "series-6": "#0a0a16", "series-7": "#0a0a17", "series-8": "#0a0a18",
}  # fmt: skip
"""Colours that nobody would choose, to be drawn with; `embed` puts the style sheet's in their place."""

TONE_OF = {colour: tone for tone, colour in PALETTE.items()}
COLOUR = re.compile("|".join(PALETTE.values()))
NUMBER = re.compile(r"-?\d+\.\d{3,}")
REFERENCE = re.compile(r"#([\w-]+)")
LEFT_OUT = frozenset({"metadata", "style"})


def embed(svg: str, *, key: str, label: str) -> str:
    """Return the `svg` element of a file for a page; `key` makes its ids unique, `label` is read to who cannot see."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        element.tag = _local(element.tag)
        element.attrib = {_local(name): _restyled(value) for name, value in element.attrib.items()}
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in LEFT_OUT]:
            parent.remove(child)
    _own_ids(root, key)
    root.attrib = {"viewBox": root.attrib["viewBox"], "role": "img", "aria-label": label}
    return ElementTree.tostring(root, encoding="unicode")


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _restyled(value: str) -> str:
    """Name colours by their meaning, and write coordinates to a hundredth of a pixel."""
    coloured = COLOUR.sub(lambda found: f"var(--{TONE_OF[found[0]]})", value)
    return NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), coloured)


def _own_ids(root: ElementTree.Element, key: str) -> None:
    """Prefix the ids that something refers to, and drop all others."""
    used = {
        found
        for element in root.iter()
        for name, value in element.attrib.items()
        if name != "id"
        for found in REFERENCE.findall(value)
    }
    for element in root.iter():
        own = element.attrib.pop("id", "")
        for name, value in element.attrib.items():
            element.attrib[name] = REFERENCE.sub(rf"#{key}-\1", value)
        if own in used:
            element.attrib["id"] = f"{key}-{own}"

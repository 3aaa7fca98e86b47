"""Colours of the style sheet can be read, in light and in dark (WCAG 2.2: 4.5 for text, 3 for lines)."""

import re
from importlib.resources import files
from itertools import starmap

import pytest

from ogai.render.report.figures import SERIES
from ogai.render.report.svg import PALETTE

STYLE = (files("ogai.render.report") / "style.css").read_text()
LIGHT, DARK = (
    dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    for block in STYLE.split("prefers-color-scheme")[:2]
)


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(starmap(lambda share, part: share * part, zip((0.2126, 0.7152, 0.0722), linear, strict=True)))


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_colour_is_there_and_can_be_told_from_the_paper(scheme: dict[str, str]) -> None:
    assert set(PALETTE) <= set(scheme)
    for tone in ("ink", "muted", "accent", "bad", "good"):
        assert contrast(scheme[tone], scheme["paper"]) >= 4.5, tone
    for tone in ("warn", *SERIES):
        assert contrast(scheme[tone], scheme["paper"]) >= 3, tone


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_no_two_series_have_the_same_colour(scheme: dict[str, str]) -> None:
    assert len({scheme[tone] for tone in SERIES}) == len(SERIES)

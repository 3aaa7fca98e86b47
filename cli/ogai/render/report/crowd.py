"""Pins and bands of a chart, however many: those that would lie on the same pixel are drawn as one."""

from collections.abc import Iterable, Mapping, Sequence

from ogai.render.report.figures import Band, Pin, Tone

__all__ = ["PinStyle", "columned", "merged"]

PinStyle = tuple[Tone, str]
"""The tone and the shape of a pin."""


def columned(pins: Iterable[Pin], pixel: float) -> Mapping[PinStyle, Sequence[float]]:
    """Return by tone and shape where pins are drawn: the first of those in each stretch of x that is a pixel wide."""
    places: dict[PinStyle, dict[int, float]] = {}
    for pin in pins:
        places.setdefault((pin.tone, pin.shape), {}).setdefault(round(pin.x / pixel), pin.x)
    return {style: list(found.values()) for style, found in places.items()}


def merged(bands: Iterable[Band], pixel: float) -> Sequence[Band]:
    """Join bands of one tone that touch, overlap, or are less than a pixel apart."""
    joined: list[Band] = []
    for band in sorted(bands, key=lambda band: (band.tone, band.start)):
        last = joined[-1] if joined else None
        if last is not None and last.tone == band.tone and band.start - last.end < pixel:
            joined[-1] = Band(start=last.start, end=max(last.end, band.end), tone=band.tone)
        else:
            joined.append(band)
    return joined

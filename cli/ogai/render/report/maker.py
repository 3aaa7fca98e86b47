"""Makes a page of its parts: one HTML file that needs nothing else, in light and dark, on a screen and on paper."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from ogai.render.report.blocks import Page
from ogai.render.report.figures import Drawing
from ogai.render.report.lanes import lane_data, lane_paths, lane_ticks

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["GENERATOR", "render_page"]

GENERATOR = "ogai report"
"""What the meta tag `generator` of every page says."""

NOT_SHOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def render_page(page: Page) -> str:
    """Write a page as HTML; every text in it is escaped. Raises ModuleNotFoundError where Jinja2 is not installed."""
    return _template().render(page=page)


@cache
def _template() -> Template:
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_load),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: shown(value) if type(value) is str else value,
    )
    environment.globals.update(
        generator=GENERATOR,
        style=Markup(_load("style.css") + _load("lanes.css")),
        script=Markup(_load("pointer.js") + _load("lanes.js")),
        svg=Markup,
        lane_data=lane_data,
        lane_paths=lane_paths,
        lane_ticks=lane_ticks,
        pointer_data=pointer_data,
    )
    return environment.get_template("page.html.j2")


def shown(text: str) -> str:
    """Replace what no page may hold: control characters become their pictures, halves of characters the sign for it."""
    return NOT_SHOWN.sub(lambda found: _picture_of(ord(found[0])), text)


def pointer_data(drawing: Drawing) -> str:
    """Write what pointing at a chart tells, for the script; empty when it tells nothing."""
    readout = drawing.readout
    if readout is None or not readout.rows:
        return ""
    rows = [[_finite(value) for value in row] for row in readout.rows]
    data = {"names": readout.names, "range": drawing.x_range, "rows": rows}
    return json.dumps(data, separators=(",", ":"))


def _finite(value: float | None) -> float | None:
    return float(f"{value:.6g}") if value is not None and math.isfinite(value) else None


def _picture_of(code: int) -> str:
    return (
        chr(0x2400 + code)
        if code < 0x20
        else "\N{SYMBOL FOR DELETE}"
        if code == 0x7F
        else "\N{REPLACEMENT CHARACTER}"
    )


def _load(name: str) -> str:
    return (files("ogai.render.report") / name).read_text(encoding="utf-8")

"""Charts show every extreme and every gap, in the page's colours and letters, and always alike."""

import math
import re
from collections.abc import Sequence
from xml.etree import ElementTree

import pytest

from ogai.render.report import Band, Drawing, Histogram, Line, LineChart, Pin, Readout, draw
from ogai.render.report.crowd import merged
from ogai.render.report.scale import choose_scale, tick_text


def drawn(*ys: float, **fields: object) -> Drawing:
    return draw(chart(ys, **fields), key="k", label="A line & its <end>")


def chart(ys: Sequence[float], **fields: object) -> LineChart:
    return LineChart(lines=(Line(xs=range(1, len(ys) + 1), ys=ys),), x_label="step", **fields)  # type: ignore[arg-type]


def paths(svg: str, tone: str) -> list[str]:
    """Return the paths that are drawn in a colour."""
    found = ElementTree.fromstring(svg).iter("path")
    return [path.attrib["d"] for path in found if f"stroke: var(--{tone})" in path.attrib.get("style", "")]


def points(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"[ML] (\S+) (\S+)", path)]


def test_the_extremes_are_drawn_where_they_belong() -> None:
    (path,) = paths(drawn(3.0, 1.0, 2.0).wide.svg, "accent")
    (x1, y1), (_, y2), (x3, y3) = points(path)
    assert y1 < y3 < y2, "above is less, in SVG"
    assert (y1 - y2) / 2 == pytest.approx(y1 - y3, abs=0.02)
    width = 960
    picture = drawn(3.0, 1.0, 2.0).wide
    assert (x1, x3) == (
        pytest.approx(picture.left * width, abs=0.1),
        pytest.approx(picture.right * width, abs=0.1),
    )


def test_a_value_that_is_no_number_is_a_gap_with_a_cross() -> None:
    svg = drawn(3.0, 2.0, math.nan, math.inf, 1.0, 0.5).wide.svg
    (path,) = paths(svg, "accent")
    assert path.count("M") == 2
    assert svg.count("var(--bad)") >= 2


@pytest.mark.parametrize(
    "ys", [(), (1.0,), (0.0, 0.0), (math.nan, math.nan), (math.inf,), (1e-8, 1e8), (-3.0, 5.0)]
)
def test_anything_can_be_drawn(ys: tuple[float, ...]) -> None:
    for picture in (drawn(*ys).wide, drawn(*ys).narrow):
        assert "nan" not in picture.svg.lower()
    assert "<svg" in draw(Histogram(values=ys, x_label="x"), key="h", label="h").wide.svg


def test_colours_are_the_style_sheets_and_letters_are_text() -> None:
    drawing = drawn(
        3.0, 2.0, 1.0, bands=(Band(start=1, end=2, tone="warn"),), pins=(Pin(x=2, tone="bad", label="7"),)
    )
    for svg in (drawing.wide.svg, drawing.narrow.svg):
        assert not re.findall(r"#[0-9a-f]{6}", svg)
        assert "<style" not in svg and "metadata" not in svg
        assert {"step", "7"} <= {text.text for text in ElementTree.fromstring(svg).iter("text")}
        assert ElementTree.fromstring(svg).attrib["aria-label"] == "A line & its <end>"


def test_ids_are_of_their_chart_and_all_that_is_referred_to_is_there() -> None:
    for key, picture in (("k-w", drawn(3.0, 1.0).wide), ("k-n", drawn(3.0, 1.0).narrow)):
        ids = re.findall(r' id="([^"]+)"', picture.svg)
        referred = re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)\"", picture.svg)
        assert ids and all(name.startswith(f"{key}-") for name in ids)
        assert {a or b for a, b in referred} == set(ids)


def test_the_same_chart_gives_the_same_bytes() -> None:
    assert drawn(3.0, 1.0, 2.0) == drawn(3.0, 1.0, 2.0)


def test_labels_that_would_touch_are_left_out_but_their_lines_stay() -> None:
    pins = tuple(Pin(x=50 + number * 0.35, tone="bad", label=str(number)) for number in range(5))
    svg = drawn(*range(100), pins=pins).wide.svg
    texts = [
        text.text for text in ElementTree.fromstring(svg).iter("text") if "weight" in text.attrib["style"]
    ]
    assert texts == ["0"]
    (lines,) = paths(svg, "bad")
    assert len({x for x, _ in points(lines)}) == 5


def test_pins_on_one_pixel_are_one_line_and_those_beside_it_their_own() -> None:
    near = [50 + number / 1000 for number in range(100)]
    pins = [Pin(x=x, tone="bad") for x in (10, *near, 90)]
    pins += [Pin(x=x, tone="muted", shape="tick") for x in near]
    svg = drawn(*range(100), pins=tuple(pins)).wide.svg
    (lines,) = paths(svg, "bad")
    assert 3 <= len({x for x, _ in points(lines)}) <= 4
    assert 1 <= svg.count("<use") - drawn(*range(100)).wide.svg.count("<use") <= 2


def test_pins_that_would_hide_the_chart_are_short_and_without_labels() -> None:
    pins = tuple(Pin(x=number / 4, tone="bad", label=str(number)) for number in range(4, 400))
    drawing = drawn(*range(100), pins=pins)
    few = drawn(*range(100), pins=pins[::20])
    heights = []
    for picture in (drawing.wide, few.wide):
        (lines,) = paths(picture.svg, "bad")
        heights.append(max(y for _, y in points(lines)) - min(y for _, y in points(lines)))
    assert heights[0] < heights[1] / 10
    assert "weight" not in "".join(
        text.attrib["style"] for text in ElementTree.fromstring(drawing.wide.svg).iter("text")
    )


def test_bands_that_cannot_be_told_apart_are_one_and_others_stay() -> None:
    near = [Band(start=20 + number / 50, end=20 + number / 50 + 0.001, tone="bad") for number in range(100)]
    bands = (Band(start=1, end=2, tone="warn"), Band(start=1.5, end=3, tone="bad"), *near)
    assert merged(bands, pixel=0.1) == [
        Band(start=1.5, end=3, tone="bad"),
        Band(start=20, end=near[-1].end, tone="bad"),
        Band(start=1, end=2, tone="warn"),
    ]


def test_a_line_begins_anew_at_its_breaks_and_a_lonely_point_is_a_dot() -> None:
    ys = (3.0, 2.0, 5.0, 1.0, 4.0)
    line = Line(xs=range(5), ys=ys, breaks=(2, 3))
    svg = draw(LineChart(lines=(line,), x_label="step"), key="k", label="l").wide.svg
    (path,) = paths(svg, "accent")
    first, dot, last = [points("M" + part) for part in path.split("M")[1:]]
    assert (len(first), len(last)) == (2, 2)
    assert len(dot) == 2 and dot[0] == dot[1]
    assert [x for x, _ in (*first, dot[0], *last)] == sorted({x for x, _ in points(path)})


def test_a_wide_span_of_values_is_shown_on_a_logarithm() -> None:
    assert choose_scale(chart((0.01, 1.0))).log
    assert not choose_scale(chart((0.5, 1.0))).log
    assert not choose_scale(chart((0.0, 100.0))).log
    assert choose_scale(chart((0.01, 1.0), y_from_zero=True)).y[0] == 0.0


def test_the_readout_keeps_the_extremes() -> None:
    rows = [(float(step), 1.0 if step != 7000 else 9.0) for step in range(20_000)]
    readout = drawn(1.0, 2.0, readout=Readout(names=("step", "loss"), rows=rows)).readout
    assert readout is not None
    assert (7000.0, 9.0) in readout.rows
    assert len(readout.rows) < 3000


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "0"), (250, "250"), (1500, "1.5K"), (2e6, "2M"), (0.002, "0.002"), (3e-5, "3e-5"), (-4, "-4")],
)
def test_ticks_are_short(value: float, written: str) -> None:
    assert tick_text(value) == written


@pytest.mark.parametrize("values", [(1e308, -1e308, 1.0), (5e-324, 1e99), (1e-308, 1e308), (math.inf, 1e300)])
def test_numbers_beyond_all_bounds_are_drawn_over(values: tuple[float, ...]) -> None:
    assert "nan" not in drawn(*values).wide.svg
    assert "nan" not in draw(Histogram(values=values, x_label="x"), key="k", label="l").wide.svg

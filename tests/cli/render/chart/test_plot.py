"""Curves as they are drawn: every dot where it belongs, marks below their steps, nothing outside the frame."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ogai.render.chart.canvas import Canvas
from ogai.render.chart.plot import Marks, Plot, Points, draw
from ogai.render.glyphs import ASCII, UNICODE, Glyphs


def test_braille_has_eight_dots_to_a_character_and_ascii_two() -> None:
    canvas = Canvas(1, 1, braille=True)
    for place, pattern in zip(
        [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3)], "⠁⠉⠋⠛⠟⠿⡿⣿", strict=True
    ):
        canvas.dot(*place, "cloud")
        assert list(canvas.row(0)) == [(pattern, "cloud")]
    plain = Canvas(3, 1, braille=False)
    plain.dot(0, 0, "cloud")
    plain.dot(1, 1, "cloud")
    plain.dot(1, 0, "cloud")
    plain.dot(2, 1, "line")
    assert "".join(sign for sign, _ in plain.row(0)) == "':*"


def test_the_line_lies_before_the_cloud_and_nothing_outside_counts() -> None:
    canvas = Canvas(2, 1, braille=True)
    for x, y in ((-1, 0), (0, -1), (4, 0), (0, 4)):
        canvas.dot(x, y, "cloud")
    assert list(canvas.row(0)) == [(" ", None), (" ", None)]
    canvas.dot(0, 0, "cloud")
    canvas.dot(1, 1, "line")
    assert next(canvas.row(0)) == ("⠑", "line")


@pytest.mark.parametrize(("end", "expected"), [((3, 3), "⠑⢄"), ((3, 0), "⠉⠉"), ((0, 3), "⡇ ")])
def test_a_line_leaves_no_gap(end: tuple[int, int], expected: str) -> None:
    canvas = Canvas(2, 1, braille=True)
    canvas.line(0, 0, *end, "line")
    assert "".join(sign for sign, _ in canvas.row(0)) == expected


def fall(count: int) -> Points:
    return Points(steps=range(1, count + 1), values=[10 - 8 * step / count for step in range(1, count + 1)])


def picture(plot: Plot, *, width: int = 40, height: int = 12, glyphs: Glyphs = UNICODE) -> list[str]:
    return [line.plain for line in draw(plot, width=width, height=height, glyphs=glyphs)]


def test_a_falling_curve_goes_from_the_upper_left_to_the_lower_right() -> None:
    lines = picture(Plot(curve=fall(500), first=1, last=500))
    first, last = lines[0], lines[-3]
    assert first[5] != " " and first[-1] == " "
    assert last[-1] != " " and last[5] == " "
    assert [line[:4].strip() for line in lines[:-1] if line[:4].strip()] == ["8", "6", "4", "2"]
    assert lines[-1].split() == ["200", "400"]


def test_marks_lie_below_their_steps_and_a_fault_counts_above_a_checkpoint() -> None:
    marks = (
        Marks(steps=[250], sign="▲", style="red"),
        Marks(steps=[125, 250, 999], sign="◆", style="green"),
    )
    tall = picture(Plot(curve=fall(500), first=1, last=500, marks=marks), width=45)
    row = tall[-2]
    assert (row.index("◆") - 5, row.index("▲") - 5) == (9, 19)
    assert row.count("◆") == 1
    short = picture(Plot(curve=fall(500), first=1, last=500, marks=marks), width=45, height=7)
    assert len(short) == 7 and "◆" in short[-2] and "└" in short[-2]


def test_points_are_drawn_over_the_curve() -> None:
    point = Points(steps=[500], values=[10.0])
    lines = picture(Plot(curve=fall(500), first=1, last=500, points=point))
    assert lines[0].endswith("●")


def test_a_logarithm_makes_a_falling_power_straight() -> None:
    curve = Points(steps=range(1, 101), values=[10 ** (2 - step / 50) for step in range(1, 101)])
    lines = picture(Plot(curve=curve, first=1, last=100, log=True, smooth=False), width=55, height=14)
    labels = [line[:4].strip() for line in lines if "┤" in line]
    assert labels == ["50", "20", "10", "5", "2", "1"]
    middle = lines[(len(lines) - 3) // 2]
    assert middle[25:35].strip()


def test_a_logarithm_of_what_has_none_is_not_taken() -> None:
    curve = Points(steps=[1, 2, 3], values=[2.0, 0.0, 1.0])
    assert picture(Plot(curve=curve, first=1, last=3, log=True)) == picture(
        Plot(curve=curve, first=1, last=3)
    )


@given(
    values=st.lists(st.floats(-1e15, 1e15), max_size=60),
    width=st.integers(0, 90),
    height=st.integers(0, 30),
    log=st.booleans(),
    smooth=st.booleans(),
    labelled=st.booleans(),
    glyphs=st.sampled_from([UNICODE, ASCII]),
    first=st.integers(1, 10**7),
)
def test_no_curve_leaves_its_frame(
    values: list[float], width: int, height: int, log: bool, smooth: bool, labelled: bool, glyphs: Glyphs,
    first: int,
) -> None:  # fmt: skip
    steps = range(first, first + len(values))
    plot = Plot(
        curve=Points(steps=steps, values=values),
        first=first,
        last=first + max(0, len(values) - 1),
        points=Points(steps=steps[:1], values=values[:1]),
        marks=(Marks(steps=steps[:1], sign=glyphs.fault, style="red"),),
        log=log,
        smooth=smooth,
        labelled=labelled,
    )
    lines = draw(plot, width=width, height=height, glyphs=glyphs)
    assert len(lines) in (0, height)
    assert all(line.cell_len <= width for line in lines)
    assert glyphs.braille or all(line.plain.isascii() for line in lines)

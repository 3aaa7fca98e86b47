"""The picture of a step on a terminal: to scale, in colours and without, as wide as there is room."""

import pytest

from l3_modeltools import Event, Timeline
from l3_modeltools.planning.timeline import Pace, simulate
from ogai.render.strategy.columns import Cell, cells_of, view_of
from ogai.render.strategy.timeline import draw_timeline


def timeline(pp: int, batches: int) -> Timeline:
    """1F1B of even stages, a second forward and two backward."""
    one = ((1.0,) * pp,)
    return simulate(Pace(forward=one, backward=((2.0,) * pp,), weights=one), "1f1b", batches)


def plain(step: Timeline, width: int) -> list[str]:
    return [line.plain for line in draw_timeline(step, width, coloured=False)]


def test_every_column_is_a_second_where_there_is_room() -> None:
    step = timeline(2, 3)
    assert step.length == 12.0
    first, second, scale, legend = plain(step, 9 + 12 + 24)
    assert first.split()[2] == "FFff....BBBBFFbbbb..BBBB"
    assert second.split()[2] == "..FFBBBBffbbbbFFBBBB...."
    assert first.endswith("25.0% idle") and scale.endswith("12.00 s")
    assert legend.split() == ["F", "forward", "B", "backward", ".", "waits"]


def test_begin_and_end_are_shown_of_a_step_that_is_too_long() -> None:
    first = plain(timeline(4, 64), 80)[0]
    begin, end = first[9:68].split(" ~ ")
    assert begin.startswith("FfFf......BBF") and end.endswith("BB.bb")
    assert len(begin) == len(end) == 28


def test_many_turns_share_a_column_where_even_the_warm_up_has_no_room() -> None:
    lines = plain(timeline(16, 32), 80)
    assert len(lines) == 19 and max(map(len, lines)) <= 80
    assert lines[0][9:].startswith("FFF") and lines[0].count("x") > 12 and "~" not in lines[0]
    assert "x two of these by turns" in lines[-1]


def test_the_middle_of_a_long_step_is_left_out_so_that_what_ranks_wait_for_can_be_seen() -> None:
    first, *_, last = (line[9:68].split(" ~ ") for line in plain(timeline(16, 64), 80)[:16])
    assert len(first[0]) == len(first[1]) == 28
    assert first[0].startswith("FFFFFF") and "........" in first[0] and last[1].endswith("........")


def test_of_many_ranks_the_first_and_the_last_are_drawn() -> None:
    lines = plain(timeline(40, 40), 80)
    named = [line.split()[1] for line in lines if line.startswith("rank")]
    assert named == [str(rank) for rank in (*range(8), *range(32, 40))]
    assert any(line.strip() == "24 more" for line in lines)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for step in (timeline(4, 8), timeline(16, 64), timeline(1, 1)):
        for coloured in (True, False):
            ranks = list(draw_timeline(step, width, coloured=coloured))[:-1]
            assert all(line.cell_len <= max(width, 41) for line in ranks)


def test_half_a_column_can_have_a_colour_of_its_own() -> None:
    events = (Event("F", 0, 0, 0.0, 1.5), Event("B", 1, 0, 1.5, 3.0))
    view = view_of(Timeline((events,)), 3)
    assert not view.coarse
    cells = list(cells_of(events, view.windows[0], 3, coarse=False))
    assert cells == [Cell("F", "F"), Cell("F", "B", False, True), Cell("B", "B", True, True)]
    (line, *_) = draw_timeline(Timeline((events,)), 9 + 12 + 21, coloured=True)
    assert any("on bright_green" in str(span.style) for span in line.spans)
    assert line.plain[9:30] == "█" * 10 + "▌" + "█" * 10

"""A page holds what it was given and nothing else: every text is escaped, nothing is fetched, all tags close."""

import json
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from ogai.render.report import (
    Bar,
    BarPart,
    Cell,
    Code,
    Column,
    Drawing,
    Fact,
    Facts,
    Figure,
    Fold,
    Heading,
    HeatGroup,
    HeatMap,
    HeatRow,
    HeatRun,
    Key,
    Lane,
    LaneRun,
    Lanes,
    Line,
    LineChart,
    Page,
    Pair,
    Prose,
    Quote,
    Quotes,
    Readout,
    Row,
    Section,
    Status,
    Table,
    draw,
    render_page,
)
from ogai.render.report.maker import shown
from tests.support.html import Seen

HOSTILE = (
    "</td></style></script><script>alert(1)</script>\"'><img src=http://x onerror=y> {{ 7*7 }} &amp; $x$"
)


@cache
def a_drawing() -> Drawing:
    chart = LineChart(
        lines=(Line(xs=(1, 2), ys=(3.0, 4.0)),),
        x_label=HOSTILE,
        readout=Readout(names=(HOSTILE, "y"), rows=[(1.0, float("nan")), (2.0, 4.0)]),
    )
    return draw(chart, key="k", label=HOSTILE)


def a_page(text: str) -> Page:
    """Return a page that has everything a page can have, with `text` wherever a text may stand."""
    figure = Figure(title=text, drawing=a_drawing(), legend=(Key(name=text, tone="bad"),), caption=text)
    table = Table(
        columns=(Column(title=text), Column(title="n", style="number")),
        rows=(Row(cells=(Cell(text=text, tone="warn", note=text), Cell(text=text))),),
        caption=text,
    )
    bar = Bar(title=text, parts=(BarPart(name=text, share=0.5, tone="good", label=text),), ends=(text, text))
    fact = Fact(name=text, value=text, note=text)
    blocks = (
        Facts(facts=(fact,)),
        Prose(text=text),
        Heading(text=text),
        figure,
        table,
        bar,
        HeatMap(
            columns=2,
            rows=(HeatRow(label=text, runs=(HeatRun(first=0, count=1, tone="bad", title=text),)),),
            groups=(HeatGroup(name=text, count=2),),
            caption=text,
        ),
        HeatMap(columns=1, rows=(), names=(text,), legend=(Key(name=text, tone="good"),)),
        Lanes(
            title=text,
            lanes=(Lane(name=text, note=text, said=text, runs=(LaneRun(0.0, 1.0, "bad", text),)),),
            extent=2.0,
            unit=text,
            between=text,
            zoom=True,
            legend=(Key(name=text, tone="good"),),
            caption=text,
        ),
        Quotes(quotes=(Quote(label=text, before=text, text=text),)),
        Fold(title=text, note=text, tone="accent", blocks=(Code(text=text), table)),
    )
    return Page(
        kicker=text,
        title=text,
        lead=text,
        status=Status(word=text, tone="good"),
        facts=(fact,),
        sections=(Section(title=text, note=text, blocks=blocks),),
        foot=text,
    )


def test_every_text_arrives_as_it_is_and_is_nothing_but_text() -> None:
    plain, hostile = Seen(render_page(a_page("plain"))), Seen(render_page(a_page(HOSTILE)))
    assert hostile.tags == plain.tags
    drawn = 2 * 1
    """The label of the x axis, at both sizes."""
    assert hostile.text.count(HOSTILE) == plain.text.count("plain") + drawn > 25
    assert hostile.code == plain.code


def test_nothing_is_fetched() -> None:
    seen = Seen(render_page(a_page(HOSTILE)))
    assert seen.loads == []
    assert "http" not in seen.code and "@import" not in seen.code and "url(" not in seen.code


def test_ids_are_unique_and_two_charts_do_not_share_any() -> None:
    other = draw(
        LineChart(lines=(Line(xs=(1, 2), ys=(3.0, 4.0)),), x_label="x", span="half"), key="j", label="j"
    )
    pair = Pair(figures=(Figure(title="a", drawing=a_drawing()), Figure(title="b", drawing=other)))
    ids = Seen(
        render_page(Page(kicker="k", title="t", lead="", sections=(Section(title="s", blocks=(pair,)),)))
    ).ids
    assert ids and len(ids) == len(set(ids))


def test_what_pointing_tells_is_there_for_the_script() -> None:
    seen = Seen(render_page(a_page(HOSTILE)))
    (data,) = [value for _, name, value in seen.attributes if name == "data-pointer"]
    assert json.loads(data) == {"names": [HOSTILE, "y"], "range": [1, 2], "rows": [[1.0, None], [2.0, 4.0]]}


def test_control_characters_are_shown_and_right_to_left_stays() -> None:
    text = "a\x00\x1b[31m\x7f\x85\ud800 שלום \u200dهمزة\n\tb"
    assert shown(text) == "a␀␛[31m␡\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER} שלום \u200dهمزة\n\tb"
    html = render_page(a_page(text))
    assert html.encode()
    assert ("blockquote", "dir", "auto") in Seen(html).attributes


@given(st.text(alphabet=st.characters(codec=None), max_size=40))
def test_any_text_leaves_the_page_whole(text: str) -> None:
    html = render_page(Page(kicker=text, title=text, lead=text))
    assert Seen(html).tags == Seen(render_page(Page(kicker="", title="", lead=""))).tags
    html.encode()


def test_a_page_without_anything_is_a_page() -> None:
    seen = Seen(render_page(Page(kicker="k", title="t", lead="l")))
    assert "section" not in seen.tags
    assert ("meta", "content", "ogai report") in seen.attributes

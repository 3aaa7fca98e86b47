"""Lanes are drawn to scale, and a browser zooms into them and tells what is pointed at."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ogai.render.report import Lane, LaneRun, Lanes, Page, Section, render_page
from ogai.render.report.lanes import WIDTH, lane_data, lane_paths, lane_ticks
from tests.support.html import Seen

RUNS = (
    LaneRun(0.0, 1.0, "good", "first"),
    LaneRun(1.0, 1.5, "bad", "second"),
    LaneRun(3.0, 4.0, "good", "first", pale=True),
)
BLOCK = Lanes(
    title="Turns",
    lanes=(Lane(name="one", runs=RUNS), Lane(name="two", runs=RUNS[:1])),
    extent=4.0,
    unit="s",
    between="waits",
    mark=2.0,
    zoom=True,
)


def page(block: Lanes) -> str:
    return render_page(Page(kicker="k", title="t", lead="l", sections=(Section(title="s", blocks=(block,)),)))


def test_runs_are_drawn_where_they_are_a_path_for_each_colour() -> None:
    found = {(path.tone, path.pale): path.d for path in lane_paths(BLOCK.lanes[0], BLOCK.extent)}
    quarter = WIDTH // 4
    assert found == {
        ("good", False): f"M0 0h{quarter}v1h-{quarter}z",
        ("bad", False): f"M{quarter} 0h{quarter // 2}v1h-{quarter // 2}z",
        ("good", True): f"M{3 * quarter} 0h{quarter}v1h-{quarter}z",
    }


def test_the_script_is_told_each_title_once() -> None:
    data = json.loads(lane_data(BLOCK))
    quarter = WIDTH // 4
    assert data["titles"] == ["first", "second"] and data["extent"] == 4.0
    assert data["lanes"] == [
        [0, quarter, 0, quarter, quarter // 2, 1, 3 * quarter, quarter, 0],
        [0, quarter, 0],
    ]


@pytest.mark.parametrize(
    ("extent", "texts"),
    [
        (80.0, ["0", "10", "20", "30", "40", "50", "60", "70", "80"]),
        (5.4, ["0", "1", "2", "3", "4", "5"]),
        (0.031, ["0.000", "0.005", "0.010", "0.015", "0.020", "0.025", "0.030"]),
        (0.0, []),
    ],
)
def test_ticks_are_round_and_few(extent: float, texts: list[str]) -> None:
    found = lane_ticks(extent)
    assert [text for _, text in found] == texts
    assert all(place * extent == pytest.approx(float(text)) for place, text in found)


def test_who_cannot_see_is_read_what_each_lane_is() -> None:
    seen = Seen(page(BLOCK))
    assert [value for tag, name, value in seen.attributes if tag == "svg" and name == "aria-label"] == [
        "one",
        "two",
    ]
    buttons = [value for tag, name, value in seen.attributes if tag == "button" and name == "aria-label"]
    assert buttons == ["Zoom in", "Zoom out", "Earlier", "Later", "Show all"]


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PROBE = """<script>
onload = () => {
  const figure = document.querySelector("[data-lanes]"), pictures = [...figure.querySelectorAll("svg")];
  const press = act => figure.querySelector(`[data-do=${act}]`).click();
  const point = share => {
    const box = pictures[0].getBoundingClientRect();
    const where = { clientX: box.left + share * box.width, clientY: box.top + 2, bubbles: true };
    pictures[0].dispatchEvent(new PointerEvent("pointermove", where));
    return [...figure.querySelector(".readout").children].map(one => one.textContent);
  };
  const found = { whole: point(0.3), between: point(0.6), tools: figure.querySelector(".lane-tools").hidden };
  press("in"); press("left"); press("left");
  found.near = pictures.map(one => one.getAttribute("viewBox"));
  found.begin = point(0.25);
  found.ticks = [...figure.querySelectorAll(".lane-axis span")].map(one => one.textContent);
  press("whole");
  found.again = pictures[0].getAttribute("viewBox");
  found.wide = document.documentElement.scrollWidth;
  document.body.innerHTML = `<pre>${JSON.stringify(found)}</pre>`;
};
</script></body>"""


@pytest.mark.real
@pytest.mark.parametrize("width", [1400, 500])
def test_a_browser_zooms_and_tells_what_is_pointed_at(tmp_path: Path, width: int) -> None:
    if BROWSER is None:
        pytest.skip("no Chromium here")
    path = tmp_path / "page.html"
    path.write_text(page(BLOCK).replace("</body>", PROBE))
    command = [
        BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
        f"--window-size={width},1000", f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=3000", "--dump-dom", path.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in done.stderr
    told = re.search(r"<pre>(.*)</pre>", done.stdout)
    assert told, done.stdout[:2000]
    found = json.loads(html.unescape(told[1]))
    assert found["whole"] == ["one", "second", "1 to 1.5 s"] and found["between"] == ["one", "waits"]
    assert found["tools"] is False
    assert found["near"] == [f"0 0 {WIDTH // 2} 1"] * 2 and found["again"] == f"0 0 {WIDTH} 1"
    assert found["begin"] == ["one", "first", "0 to 1 s"]
    assert found["ticks"][0] == "0.0 s" and found["ticks"][-1] == "2.0"
    assert found["wide"] <= width

"""A browser shows the report as it is meant: nothing runs over the edge, no error is told, pointing tells numbers."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from l3_modeltools import Sample
from l3_modeltools.schemas import Evidence
from ogai.render.report import render_page
from ogai.render.train.report import report_page
from tests.support.reports import FORTY, a_fault, gathered, losses, with_

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium here (.ci/system-packages test brings it)"),
]

FRAME = """<!DOCTYPE html><body style="margin:0">
<iframe style="border:0;width:{width}px;height:2000px" srcdoc="{page}"></iframe>
<script>
onload = () => {{
  const page = document.querySelector("iframe").contentDocument, root = page.documentElement;
  page.querySelectorAll("details").forEach(fold => {{ fold.open = true; }});
  const plot = page.querySelector("[data-pointer]"), box = plot.getBoundingClientRect();
  plot.dispatchEvent(new PointerEvent("pointermove", {{ clientX: box.right, clientY: box.top }}));
  const shown = [...page.querySelectorAll(".plot > div")].filter(one => one.offsetWidth);
  const texts = shown.flatMap(one => [...one.querySelectorAll("text")]);
  const found = {{
    wide: root.scrollWidth, readout: page.querySelector(".readout").textContent,
    shown: shown.map(one => one.className),
    smallest: Math.min(...texts.map(text => text.getBoundingClientRect().height)),
    cut: [...page.querySelectorAll(".scroll")].filter(one => one.scrollWidth > one.clientWidth).length,
    paper: getComputedStyle(page.body).backgroundColor, ink: getComputedStyle(page.body).color,
  }};
  document.body.innerHTML = `<pre>${{JSON.stringify(found)}}</pre>`;
}};
</script>"""


def look(page: str, folder: Path, *, width: int, dark: bool = False) -> dict[str, object]:
    """Open a page in a frame of this width, point at the end of its first chart, and return what is seen."""
    assert BROWSER is not None
    file = folder / "frame.html"
    file.write_text(FRAME.format(width=width, page=html.escape(page)))
    done = subprocess.run(
        [
            BROWSER, "--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu", "--enable-logging=stderr",
            f"--user-data-dir={folder / 'profile'}", f"--blink-settings=preferredColorScheme={int(not dark)}",
            "--window-size=1500,2000", "--virtual-time-budget=3000", "--dump-dom", file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr
    found = re.search(r"<pre>(.*)</pre>", done.stdout)
    assert found, done.stdout[:2000]
    seen: dict[str, object] = json.loads(html.unescape(found[1]))
    return seen


@pytest.fixture(scope="module")
def page() -> str:
    """Return the report of a run whose texts are as wide as they come."""
    long = "x" * 3000
    fault = a_fault(summary=long, evidence=(Evidence(source="log", text=long),))
    samples = (
        Sample(step=1, prompt="<script>throw 1</script>", text=long),
        Sample(step=2, prompt="שלום", text="\u202e"),
    )
    return render_page(report_page(gathered(with_(losses(*FORTY), faults=(fault,), samples=samples))))


@pytest.mark.parametrize(("width", "full"), [(390, "narrow"), (1400, "wide")])
def test_nothing_runs_over_the_edge_and_letters_stay_readable(
    page: str, tmp_path: Path, width: int, full: str
) -> None:
    seen = look(page, tmp_path, width=width)
    assert (seen["wide"], seen["cut"]) == (width, 0)
    assert isinstance(seen["shown"], list) and seen["shown"][0] == full
    assert isinstance(seen["smallest"], int | float) and seen["smallest"] >= 10


def test_pointing_tells_the_nearest_step(page: str, tmp_path: Path) -> None:
    readout = look(page, tmp_path, width=1400)["readout"]
    assert isinstance(readout, str)
    assert readout.startswith("step40loss2.05median") and "validation2.75" in readout


def test_it_is_dark_where_the_person_wants_it(page: str, tmp_path: Path) -> None:
    light = look(page, tmp_path, width=1400)
    dark = look(page, tmp_path, width=1400, dark=True)
    assert (light["paper"], light["ink"]) == ("rgb(255, 255, 255)", "rgb(22, 25, 29)")
    assert (dark["paper"], dark["ink"]) == ("rgb(20, 23, 27)", "rgb(230, 233, 236)")

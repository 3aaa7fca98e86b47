"""A cluster's report: every node in its place, what is wrong with its mend, small however large the cluster is."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from l0_infra import Ledger
from l0_infra.core.nodeset import expand
from l1_podsys import ClusterPlace, KnownVerdict
from l1_podsys.schemas import Cluster, Health, NodeGroup, Verdict
from ogai.flows.cluster import ClusterReport, Deviations, gather_report
from ogai.main import main
from ogai.render.cluster.report import report_page
from ogai.render.cluster.report.heat import columns_of
from ogai.render.report import HeatMap, Table, render_page
from tests.support.cluster_reports import small_report, unchecked, wide_report
from tests.support.html import Seen


def heat_of(report: ClusterReport) -> HeatMap:
    (found,) = [
        block
        for section in report_page(report).sections
        for block in section.blocks
        if isinstance(block, HeatMap)
    ]
    return found


def section(report: ClusterReport, title: str) -> tuple[object, ...]:
    return next((one.blocks for one in report_page(report).sections if one.title == title), ())


def first_cells(blocks: tuple[object, ...]) -> list[list[str]]:
    return [
        [cell.text for cell in row.cells]
        for block in blocks
        if isinstance(block, Table)
        for row in block.rows
    ]


def test_few_nodes_have_names_and_a_cell_each() -> None:
    heat = heat_of(small_report())
    assert heat.names == ("hub", "n1", "n2", "n3") and heat.columns == 4
    rows = {row.label: row.runs for row in heat.rows}
    assert [run.tone for run in rows["disk.full"]] == ["good", "good", "good", "bad"]
    assert [run.tone for run in rows["all of them"]] == ["good", "good", "warn", "bad"]
    assert rows["disk.full"][3].title == "critical, n3: disk.full: / is 98 % full"


def test_every_node_of_a_wide_cluster_is_in_the_column_of_its_class_and_name() -> None:
    report = wide_report(300)
    heat = heat_of(report)
    names = [name for name, _ in columns_of(report)]
    bad = {
        names[column]
        for row in heat.rows
        if row.label == "disk.full"
        for run in row.runs
        if run.tone == "bad"
        for column in range(run.first, run.first + run.count)
    }
    wanted = {one.verdict.node for one in report.health.verdicts if one.verdict.severity == "critical"}
    assert bad == wanted and [group.name for group in heat.groups] == ["cpu", "default", "h100x8", "h200x8"]
    assert sum(group.count for group in heat.groups) == len(names) == 301


def test_a_column_of_many_nodes_is_the_worst_of_them() -> None:
    report = wide_report(2000)
    heat = heat_of(report)
    rows = {row.label: row.runs for row in heat.rows}
    wrong = {one.verdict.node for one in report.health.verdicts if one.verdict.severity == "critical"}
    assert heat.columns == 600
    assert sum(run.count for run in rows["disk.full"] if run.tone == "bad") == len(wrong)


def test_what_was_not_checked_is_left_empty() -> None:
    report = small_report()
    kept = tuple(one for one in report.health.verdicts if one.verdict.node != "n1")
    heat = heat_of(with_verdicts(report, kept))
    assert [(run.first, run.count) for run in heat.rows[1].runs] == [(0, 1), (2, 1), (3, 1)]


def with_verdicts(report: ClusterReport, verdicts: tuple[KnownVerdict, ...]) -> ClusterReport:
    return replace(report, health=msgspec.structs.replace(report.health, verdicts=verdicts))


def test_what_is_wrong_is_told_once_with_its_nodes_and_its_mend() -> None:
    rows = first_cells(section(wide_report(300), "What is wrong"))
    assert rows[0][0] == "disk.full" and "journalctl --vacuum-size" in rows[0][3]
    assert len(expand(rows[0][1])) == 4
    (hung,) = [row for row in rows if row[2] == "the node hung"]
    assert re.fullmatch(r"\d+ checks", hung[0])


def test_what_failed_and_how_long_roles_took() -> None:
    rows = {row[0]: row for row in first_cells(section(small_report(), "Bring-up"))}
    assert rows["runtime"][4] == "n2" and rows["base"][4] == "all done"
    assert report_page(small_report()).status is not None
    assert report_page(small_report()).status.word == "not all brought up"  # type: ignore[union-attr]


def test_the_odd_version_is_marked() -> None:
    (table,) = [block for block in section(small_report(), "Versions") if isinstance(block, Table)]
    assert [(row.cells[1].text, row.cells[1].tone) for row in table.rows] == [
        ("4.3-2", None),
        ("4.5-1", "warn"),
    ]


def test_drift_is_told_only_when_somebody_looked() -> None:
    assert first_cells(section(small_report(), "Drift"))[0][1:] == [
        "n3",
        "file /etc/chrony/chrony.conf",
        "drifted",
    ]
    blocks = section(replace(small_report(), deviations=None), "Drift")
    assert "--drift" in str(blocks[0])


def test_nothing_known_is_a_page_too_and_says_what_to_do() -> None:
    page = report_page(unchecked(small_report()))
    html = render_page(page)
    assert page.status is not None and page.status.word == "not all checked"
    assert "ogai cluster check" in Seen(html).text and "Never checked" in page.lead


@pytest.mark.parametrize(("size", "most"), [(4, 60_000), (1000, 300_000), (5000, 1_000_000)])
def test_a_page_stays_small_needs_nothing_and_is_sound(size: int, most: int) -> None:
    report = small_report() if size == 4 else wide_report(size)
    html = render_page(report_page(report))
    seen = Seen(html)
    assert len(html) < most and seen.loads == []


def test_columns_that_differ_everywhere_stay_below_three_megabytes() -> None:
    report = wide_report(1000)
    severities = ("ok", "critical", "warning")
    mixed = tuple(
        msgspec.structs.replace(
            one,
            verdict=msgspec.structs.replace(
                one.verdict, severity=severities[index % 3], found=f"{index} of 9"
            ),
        )
        for index, one in enumerate(report.health.verdicts)
    )
    html = render_page(report_page(with_verdicts(report, mixed)))
    assert len(html) < 3_000_000


def test_a_text_from_a_node_is_no_markup() -> None:
    report = small_report()
    evil = '<script>alert(1)</script>" onload="x'
    one = report.health.verdicts[0]
    bad = msgspec.structs.replace(
        one, verdict=msgspec.structs.replace(one.verdict, severity="critical", found=evil, hint=evil)
    )
    html = render_page(report_page(with_verdicts(report, (bad,))))
    assert "<script>alert" not in html and not [
        name for _, name, _ in Seen(html).attributes if name == "onload"
    ]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClusterPlace:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    place = ClusterPlace(home=tmp_path / "home", name="pod7")
    place.prepare()
    place.save(Cluster(name="pod7", nodes=(NodeGroup(names="n[1-2]", roles=("head", "compute")),)))
    return place


def test_it_is_gathered_from_what_is_kept_and_written_beside_the_reader(
    place: ClusterPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = Verdict(node="n2", check="disk.full", severity="critical", found="full", expected="room")
    place.save_health(
        Health(cluster="pod7", level="quick", checked_at=1.0, verdicts=(verdict,)), ["n1", "n2"]
    )
    with Ledger.at(place.ledger):
        pass
    assert main(["cluster", "report"]) == 0
    path = Path(capsys.readouterr().out.strip())
    assert path == Path.cwd() / "pod7.html" and "disk.full" in path.read_text()
    assert main(["cluster", "report", "--html", str(path)]) == 0


def test_something_else_is_never_overwritten(place: ClusterPlace, capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.html").write_text("<html>")
    assert main(["cluster", "report", "--html", "mine.html"]) == 2
    assert Path("mine.html").read_text() == "<html>"


def test_nodes_are_looked_at_only_when_asked(place: ClusterPlace) -> None:
    asked: list[str] = []

    def look(*, name: str, password: object) -> Deviations:
        asked.append(name)
        return Deviations(cluster=name, nodes=2)

    assert gather_report(differ=look).deviations is None and asked == []
    assert gather_report(drift=True, differ=look).deviations == Deviations(cluster="pod7", nodes=2)
    assert asked == ["pod7"]


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PROBE = """<script>
onload = () => {
  const widths = [...document.querySelectorAll(".heat-row i:not(.good)")].map(one => one.getBoundingClientRect().width);
  const found = [document.documentElement.scrollWidth, Math.min(...widths)];
  document.body.innerHTML = `<pre>${JSON.stringify(found)}</pre>`;
};
</script></body>"""


@pytest.mark.real
@pytest.mark.parametrize("width", [1280, 500])
def test_a_browser_shows_all_of_it_within_its_width(tmp_path: Path, width: int) -> None:
    if BROWSER is None:
        pytest.skip("no Chromium here")
    path = tmp_path / "page.html"
    path.write_text(render_page(report_page(wide_report(1000))).replace("</body>", PROBE))
    command = [
        *(BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        *(
            f"--window-size={width},2000",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--virtual-time-budget=3000",
        ),
        *("--dump-dom", path.as_uri()),
    ]
    told = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    wide, narrowest = map(float, re.search(r"\[([\d.]+),([\d.]+)\]", told).groups())  # type: ignore[union-attr]
    assert wide <= width and narrowest >= 2.9

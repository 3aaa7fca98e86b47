"""The report of a run says what the run says: its numbers, its faults, its texts; whatever the run is like."""

import json
import math
import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from l3_modeltools import Category, Interval, Mark, Sample
from l3_modeltools.schemas import Evidence, SavedCheckpoint, SkippedSteps, Suspect
from ogai.flows.train.report import Gathered, RunReport, report_file
from ogai.render.report import render_page
from ogai.render.train.report import report_page
from ogai.render.train.report.curves import find_begins
from ogai.render.train.report.events import find_events
from ogai.render.train.report.happened import passed
from tests.support.html import Seen
from tests.support.reports import FORTY, a_fault, gathered, losses, report, with_
from tests.support.runs import SUBMITTED_AT
from tests.support.work import work_of

PRODUCTIVE: Category = "productive"
SAVE: Category = "save_stall"


def page(found: Gathered) -> Seen:
    seen = Seen(render_page(report_page(found)))
    assert len(seen.ids) == len(set(seen.ids))
    assert seen.loads == []
    return seen


def pointed(seen: Seen) -> list[list[float | None]]:
    (data,) = [value for _, name, value in seen.attributes if name == "data-pointer"]
    rows: list[list[float | None]] = json.loads(data)["rows"]
    return rows


def test_its_numbers_are_the_runs() -> None:
    seen = page(gathered(losses(*FORTY)))
    words = " ".join(seen.text.split())
    for told in (
        "small-1",
        "completed",
        "Loss2.050nats",
        "Tokens1.28K40 steps",
        "Speed66tokens/s",
        "Faults0",
        "step 40 of 40",
    ):
        assert told in words
    rows = pointed(seen)
    assert [row[:2] for row in rows] == [[step, FORTY[step - 1]] for step in range(1, 41)]
    assert rows[-1][3:] == [2.75, pytest.approx(0.04), pytest.approx(1.025)]


def test_time_sums_up() -> None:
    seen = page(gathered(losses(*FORTY)))
    start = seen.cells.index("productive")
    assert seen.cells[start : start + 3] == ["productive", "20s", "87.0 %"]
    assert seen.cells[seen.cells.index("all") + 1] == "23s"
    widths = [value for _, name, value in seen.attributes if name == "style" and value.startswith("width:")]
    assert sum(float(width.split()[1].rstrip("%;")) for width in widths) == pytest.approx(100, abs=0.01)


def test_a_fault_stands_in_the_table_and_in_the_curve() -> None:
    waved = a_fault(2, fault_class="straggler", taken="none", resumed_at=None, redone_steps=0, step=30)
    seen = page(gathered(with_(losses(*FORTY), faults=(a_fault(), waved))))
    first = seen.cells.index("1")
    assert seen.cells[first + 1].startswith("step 20")
    assert seen.cells[first + 2 : first + 7] == [
        "killed: rank 1Rank 1 was killed by the kernel.", "ranks started again", "0.5s", "2.2s", "3 steps",
    ]  # fmt: skip
    second = seen.cells.index("2")
    assert seen.cells[second + 3 : second + 7] == ["told", "0.5s", "-", "none"]
    assert "ended by signal 9" in seen.cells
    assert "steps done twice" in seen.text and "fault, by number" in seen.text


def test_thousands_of_faults_are_counted_by_class_and_the_newest_are_listed() -> None:
    html = render_page(report_page(gathered(troubled(3000))))
    assert len(html.encode()) < 1_200_000, "what lies on one pixel is drawn once"
    seen = Seen(html)
    start = seen.cells.index("killed")
    assert seen.cells[start + 1] == "2,000"
    assert seen.cells[start + 3 : start + 8] == [
        "rank 0 (400), rank 1 (400), rank 2 (400), others (800)",
        "ranks started again (2,000)",
        "0.1smedian",
        "16m40sin all",
        "4,000 steps",
    ]
    start = seen.cells.index("straggler")
    assert (seen.cells[start + 1], seen.cells[start + 5]) == ("1,000", "0.2smedian")
    assert seen.cells[start + 6 : start + 8] == ["-", "-"]
    start = seen.cells.index("all", start)
    assert seen.cells[start + 1] == "3,000"
    assert "The newest 200 of 3,000; `ogai train faults small-1` lists all." in seen.text
    assert "2800" not in seen.cells and {"2801", "3000"} <= set(seen.cells)
    assert "3,000 faults" in seen.text and "Faults by their step" in seen.text


def test_what_faults_cost_a_report_grows_as_they_do() -> None:
    def work(count: int) -> int:
        found = troubled(count)
        return work_of(lambda: (find_events(found), find_begins(found, found.metrics)))

    assert work(1200) < 4.4 * work(300)


def troubled(count: int) -> RunReport:
    """Return a run with a fault every other step: two of three killed a rank, the third only held it up."""
    base = losses(*(4.0 - step / count for step in range(2 * count)))
    faults = tuple(
        a_fault(
            number,
            fault_class="straggler" if number % 3 == 0 else "killed",
            occurred_at=SUBMITTED_AT + 2 + number,
            detected_at=SUBMITTED_AT + 2 + number + (0.2 if number % 3 == 0 else 0.1),
            resumed_at=None if number % 3 == 0 else SUBMITTED_AT + 2 + number + 0.5,
            redone_steps=None if number % 3 == 0 else 2,
            step=None if number % 2 else 2 * number,
            suspects=(Suspect(rank=number % 5),),
            taken="none" if number % 3 == 0 else "restart_worker",
        )
        for number in range(1, count + 1)
    )
    marks = tuple(Mark(at=f.detected_at, mark="spawned", fault_id=f.fault_id) for f in faults)
    run = replace(base.run, restarts=tuple(mark.at for mark in marks))
    return report(run, *base.metrics, marks=marks, faults=faults)


def test_what_was_left_out_and_saved_is_marked() -> None:
    report = losses(*FORTY)
    skipped = SkippedSteps(first_step=10, last_step=12, reason="the loss jumped")
    saved = SavedCheckpoint(step=40, directory="checkpoints/step-00000040", manifest_sha256="ab" * 32)
    run = replace(report.run, skipped=(skipped,), checkpoints=(saved,), restarts=(SUBMITTED_AT + 9.0,))
    seen = page(gathered(with_(report, run=run, marks=(Mark(at=SUBMITTED_AT + 8, mark="saved", step=12),))))
    assert {"batches left out", "checkpoint", "restart"} <= {line.strip() for line in seen.text.splitlines()}
    assert "steps 10 to 12: the loss jumped" in seen.cells
    assert "checkpoints/step-00000040" in seen.cells
    assert "1 restart" in seen.text


def test_texts_of_the_model_stand_by_step_some_shown_and_all_in_a_fold() -> None:
    samples = tuple(Sample(step=step, prompt="def f(", text=f"x{step}):") for step in range(1, 21))
    seen = page(gathered(with_(losses(*FORTY), samples=samples)))
    assert seen.text.count("x1):") == seen.text.count("x20):") == 2
    assert seen.text.count("x2):") == 1
    assert seen.tags.count("blockquote") == 6 + 20


def test_hostile_texts_are_nothing_but_texts() -> None:
    hostile = "<script>alert(1)</script></td>{{ 7*7 }}\x1b[31m\u202e"
    run = replace(losses(*FORTY).run, reason=hostile, environment={hostile: hostile})
    fault = a_fault(summary=hostile, evidence=(Evidence(source="log", text=hostile + "y" * 9000),))
    sample = Sample(step=1, prompt=hostile, text="مرحبا بالعالم " + hostile + "x" * 9000)
    told = with_(losses(*FORTY), run=run, faults=(fault,), samples=(sample,))
    plain = with_(
        losses(*FORTY),
        run=replace(run, environment={"a": "b"}),
        faults=(a_fault(),),
        samples=(Sample(step=1, prompt="a", text="b"),),
    )
    seen = page(gathered(told))
    assert seen.tags == page(gathered(plain)).tags
    assert seen.text.count("<script>alert(1)</script></td>{{ 7*7 }}␛[31m") == 7
    assert "characters more)" in seen.text


@pytest.mark.parametrize(
    "values", [(), (3.0,), (3.0, 2.0), (math.nan,) * 40, (*FORTY[:20], *(math.inf,) * 20)], ids=len
)
def test_a_run_of_any_kind_has_a_report(values: tuple[float, ...]) -> None:
    report = losses(*values)
    seen = page(gathered(with_(report, samples=())))
    assert ("No step is done yet." in seen.text) == (not values)
    broken = sum(not math.isfinite(value) for value in values)
    assert (f"{broken} of {len(values)} steps gave no finite number" in seen.text) == bool(broken)


def test_a_long_run_keeps_its_extremes_in_a_small_file() -> None:
    chance = random.Random(5)
    values = [3.0 + chance.random() for _ in range(20_000)]
    values[15_555] = 9.5
    html = render_page(report_page(gathered(losses(*values))))
    assert len(html.encode()) < 600_000
    assert [15_556, 9.5] in [row[:2] for row in pointed(Seen(html))]


def test_several_runs_are_laid_over_each_other_and_told_apart() -> None:
    first, second = losses(*FORTY, name="small-1"), losses(*FORTY[:30], name="small-2")
    train = replace(second.run.train, data=replace(second.run.train.data, seed=99))  # type: ignore[type-var]
    seen = page(gathered(first, with_(second, run=replace(second.run, train=train))))
    start = seen.cells.index("data.seed")
    assert seen.cells[start + 1 : start + 3] == ["0", "99"]
    start = seen.cells.index("loss at 960 tokens")
    assert seen.cells[start + 1 : start + 3] == ["2.550", "2.550"]
    titles = [line.strip() for line in seen.text.splitlines()]
    assert titles.count("Where the time went") == 2, "once in the fold of each run"
    pointers = [value for _, name, value in seen.attributes if name == "data-pointer"]
    assert [len(json.loads(pointer)["rows"]) for pointer in pointers] == [40, 30]


def test_runs_that_were_wished_alike_are_said_to_be() -> None:
    seen = page(gathered(losses(1.0), losses(2.0, name="small-2")))
    assert "They were wished alike." in seen.text


def test_of_several_runs_one_may_have_no_step() -> None:
    seen = page(gathered(losses(*FORTY), losses(name="small-3")))
    assert "No step is done yet." in seen.text


def test_the_same_run_gives_the_same_bytes() -> None:
    def made() -> str:
        return render_page(report_page(gathered(losses(*FORTY))))

    assert made() == made()


def test_the_bar_shows_what_took_longest_where_there_are_too_many_intervals() -> None:
    second = 10**9
    short = [
        Interval(begin_ns=step * second + offset, end_ns=step * second + offset + length, category=category)
        for step in range(3000)
        for offset, length, category in ((0, second - 1000, PRODUCTIVE), (second - 1000, 1000, SAVE))
    ]
    pause = Interval(begin_ns=3000 * second, end_ns=6000 * second, category="paused")
    parts = passed([*short, pause])
    assert [part.name for part in parts] == ["productive", "paused"]
    assert [part.share for part in parts] == [0.5, 0.5]
    few = passed(short[:2])
    assert [part.name for part in few] == ["productive", "save stall"]
    assert sum(part.share for part in few) == pytest.approx(1)


def test_where_it_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one, two = gathered(losses(1.0)), gathered(losses(1.0), losses(1.0, name="b-1"))
    assert report_file(one, None) == Path("/runs/small-1/report.html")
    assert report_file(two, None) == tmp_path / "report.html"
    assert report_file(two, Path("x.html")) == tmp_path / "x.html"

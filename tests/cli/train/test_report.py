"""`ogai train report`: from run directories to a file; its path alone on stdout, nothing of others overwritten."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.documents import render_json
from l0_infra.core.errors import UsageError
from ogai import train as api
from ogai.flows.train.place import runs_folder
from tests.cli.train.conftest import Ogai
from tests.support.html import Seen
from tests.support.reports import losses


@pytest.fixture
def runs(home: Path) -> Path:
    """Make two finished runs, each a directory; return the folder they lie in."""
    folder = runs_folder()
    for name, values in (("small-1", (4.0, 3.5, 3.125)), ("small-2", (4.0, 3.0))):
        made = losses(*values, name=name)
        directory = folder / name
        directory.mkdir()
        run = msgspec.structs.replace(made.run, directory=str(directory))
        (directory / "run.json").write_text(render_json(run))
        (directory / "metrics.jsonl").write_bytes(
            b"".join(msgspec.json.encode(m) + b"\n" for m in made.metrics)
        )
    return folder


def test_a_report_lies_in_the_run_and_says_its_numbers(ogai: Ogai, runs: Path) -> None:
    path = runs / "small-1" / "report.html"
    said = ogai("train", "report", "small-1")
    assert (said.code, said.out, said.err) == (0, f"{path}\n", "")
    seen = Seen(path.read_text())
    assert "3.125" in seen.text and "step 3 of 3" in seen.text
    assert ogai("train", "report", "small-1").code == 0, "it replaces itself"


def test_from_python_it_is_written_where_it_is_told_and_its_path_is_returned(
    runs: Path, tmp_path: Path
) -> None:
    to = tmp_path / "one.html"
    assert api.report("small-1", to=str(to)) == to
    assert "step 3 of 3" in Seen(to.read_text()).text
    assert api.report("small-2") == runs / "small-2" / "report.html"
    both = api.report(["small-1", "small-2"], to=tmp_path / "both.html")
    assert "2 runs" in Seen(both.read_text()).text
    with pytest.raises(UsageError, match="run `smal-1`: found none of that id or name") as caught:
        api.report("smal-1")
    assert "small-1" in caught.value.hint


def test_from_python_the_time_of_a_run_is_accounted_for(runs: Path) -> None:
    found = api.ettr("small-1")
    assert (found.run_id, found.faults, found.restarts) == ("small-1", (), 0)
    assert sum(spent.seconds for spent in found.spent) == pytest.approx(found.wall_s)


def test_of_several_it_lies_where_one_is(ogai: Ogai, runs: Path) -> None:
    said = ogai("train", "report", "small-1", "small-2", "small-1")
    assert (said.code, said.out) == (0, f"{Path.cwd() / 'report.html'}\n")
    assert "2 runs" in Seen(Path("report.html").read_text()).text


def test_what_is_no_report_stays(ogai: Ogai, runs: Path) -> None:
    Path("mine.html").write_text("my own")
    said = ogai("train", "report", "small-1", "--to", "mine.html")
    assert said.code == 2
    assert "no report of ogai" in said.err and "name another file" in said.err
    assert Path("mine.html").read_text() == "my own"


def test_a_run_that_is_not_there_is_said(ogai: Ogai, runs: Path) -> None:
    said = ogai("train", "report", "smal-1")
    assert said.code == 2
    assert "did you mean `small-1`" in said.err


def test_without_a_screen_the_path_is_what_there_is(
    ogai: Ogai, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    said = ogai("train", "report", "small-1", "--open")
    assert said.code == 0
    assert said.out.endswith("report.html\n") and "no browser" in said.err


WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name="matplotlib")
sys.meta_path.insert(0, Missing())
from ogai.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_missing_extra_is_said_with_the_command_that_brings_it(ogai: Ogai, runs: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, "train", "report", "small-1"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 3
    assert "no Python module `matplotlib`" in done.stderr
    assert "pip install --upgrade 'ogai[report]'" in done.stderr

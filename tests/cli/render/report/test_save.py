"""A report replaces a report and nothing else."""

from pathlib import Path

import pytest

from l0_infra.core.errors import MachineError, UsageError
from ogai.render.report import Page, render_page, save_page

HTML = render_page(Page(kicker="k", title="first", lead=""))


def test_a_report_is_written_and_replaces_one(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    save_page(HTML, path)
    save_page(HTML.replace("first", "second"), path)
    assert "second" in path.read_text()
    assert [found.name for found in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("content", ["", "<html>my own page</html>", "generator ogai report"])
def test_what_is_no_report_is_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "report.html"
    path.write_text(content)
    with pytest.raises(UsageError, match="no report of ogai") as raised:
        save_page(HTML, path)
    assert raised.value.hint == "name another file"
    assert path.read_text() == content


def test_a_link_to_nothing_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="no report of ogai"):
        save_page(HTML, path)
    assert path.is_symlink()


def test_a_folder_is_no_report(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="found a directory; expected a new file"):
        save_page(HTML, tmp_path)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"found no directory {tmp_path / 'missing'}; expected"):
        save_page(HTML, tmp_path / "missing" / "report.html")


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="found file name too long; expected a place"):
        save_page(HTML, tmp_path / ("x" * 300))

"""In a pipe a table is plain and whole; on a terminal it fits."""

import os
import pty
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ogai.render.table import Column, print_fields, print_table

ROOT = Path(__file__).parents[3]

COLUMNS = [
    Column[tuple[str, str]](title="NAME", value=lambda row: row[0]),
    Column[tuple[str, str]](title="CPUS", value=lambda row: row[1], align="right"),
]

words = st.text(st.characters(whitelist_categories=["L", "N"], max_codepoint=0x2FF), min_size=1, max_size=90)


def test_columns_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, [("a", "128"), ("longer", "2")])
    assert capsys.readouterr().out == "NAME    CPUS\na        128\nlonger     2\n"


def test_no_rows_leave_the_titles(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(COLUMNS, [])
    assert capsys.readouterr().out == "NAME  CPUS\n"


@given(st.lists(st.tuples(words, words), max_size=8))
def test_each_row_is_one_line_that_splits_into_its_values(rows: list[tuple[str, str]]) -> None:
    with redirect_stdout(StringIO()) as out:
        print_table(COLUMNS, rows)
    lines = out.getvalue().splitlines()
    assert [tuple(line.split()) for line in lines] == [("NAME", "CPUS"), *rows]


def test_fields_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    print_fields([("a", "1"), ("head", ""), ("  b", "2 3")])
    assert capsys.readouterr().out == "a     1\nhead\n  b   2 3\n"


SHOW = """
from ogai.render import Column, print_table
columns = [Column(title="NAME", value=lambda r: r[0]), Column(title="WHY", value=lambda r: r[1])]
print_table(columns, {rows!r})
"""
ROWS = (("job", "word " * 30), ("deep", "/a/very/long/path" * 9))


def _on_terminal(environ: dict[str, str], rows: tuple[tuple[str, str], ...] = ROWS) -> str:
    """Run SHOW with a terminal as its stdout and return what the terminal got."""
    script = SHOW.format(rows=rows)
    ours, theirs = pty.openpty()
    base = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}", "TERM": "xterm-256color"}
    subprocess.run([sys.executable, "-c", script], stdout=theirs, env=base | environ, check=True, timeout=30)
    os.close(theirs)
    got = b""
    try:
        while block := os.read(ours, 65536):
            got += block
    except OSError:  # how Linux tells that the other side is closed
        pass
    os.close(ours)
    return got.decode()


def test_a_terminal_gets_lines_that_fit_and_hold_everything() -> None:
    text = re.sub(r"\x1b\[[0-9;]*m", "", _on_terminal({"COLUMNS": "50"}))
    assert max(map(len, text.splitlines())) <= 50
    assert re.sub(r"\s", "", text).count("/a/very/long/path") == 9


def test_a_name_is_not_cut_in_two_unless_it_fills_the_line() -> None:
    rows = ("gpu-node-001", "w" * 90), ("n" * 17, "x")
    kept = re.sub(r"\x1b\[[0-9;]*m", "", _on_terminal({"COLUMNS": "51"}, rows))
    assert "gpu-node-001" in kept and "n" * 17 in kept
    cut = re.sub(r"\x1b\[[0-9;]*m", "", _on_terminal({"COLUMNS": "50"}, (("n" * 60, "x"),)))
    assert max(map(len, cut.splitlines())) <= 50 and cut.count("n") == 60


def test_a_terminal_gets_bold_titles_unless_it_is_dumb() -> None:
    assert "\x1b[1m" in _on_terminal({})
    assert "\x1b" not in _on_terminal({"TERM": "dumb"})

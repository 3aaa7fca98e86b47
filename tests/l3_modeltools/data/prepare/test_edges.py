"""What lies at the very begin of a file or of a window is read as it should be."""

import json
from pathlib import Path

from l3_modeltools.data.prepare.read.lines import read_lines
from l3_modeltools.data.prepare.read.text import read_text
from l3_modeltools.data.prepare.read.window import PIECE_BYTES


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfhi")
    assert list(read_text(tmp_path / "a.txt", 0, 1)) == ["hi"]


def test_a_line_that_begins_with_its_window_is_read_there(tmp_path: Path) -> None:
    empty = len(json.dumps({"text": ""})) + 1
    rows = [{"text": "a" * (PIECE_BYTES - empty)}, {"text": "next"}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second = (
        list(read_lines(tmp_path / "a.jsonl", window, window + 1, field=None, format="text"))
        for window in (0, 1)
    )
    assert (first, second) == ([rows[0]["text"]], ["next"])

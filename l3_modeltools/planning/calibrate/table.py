"""A table of runs as text: its columns, its cells, and where one of them cannot be read."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from l0_infra.core.errors import DocumentError, Fault, UsageError

__all__ = ["COLUMNS", "NEEDED", "CellError", "Row", "read_rows", "row_fault"]

SIZES = ("hidden", "layers", "heads", "vocab")
"""What a model is told by, unless it is told by name in the column `preset`."""

NEEDED = ("dataset", *SIZES, "gpu", "gpus", "gbs", "seq_len")
"""Columns without which nothing can be foretold."""

COLUMNS = (
    *NEEDED,
    *(
        "preset",
        "model",
        "ffn",
        "kv_heads",
        "gated_mlp",
        "precision",
        "framework",
        "tp",
        "pp",
        "cp",
        "vp",
        "dp",
        "ep",
    ),
    *(
        "fsdp",
        "zero_stage",
        "mbs",
        "recompute",
        "iter_s",
        "tokens_per_s_per_gpu",
        "peak_mem_gib",
        "note",
        "source",
    ),
)
"""Columns that are read; others may stand beside them."""


MOST = {"layers": 10_000} | dict.fromkeys(("tp", "pp", "cp", "vp", "dp", "ep"), 1_000_000)
"""Of what a document holds so many at most."""


class CellError(ValueError):
    """A cell that cannot be read, in words: what was found, and what was expected."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(found)
        self.found, self.expected = found, expected


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; a cell that is not there is empty."""

    line: int
    cells: Mapping[str, str]

    def word(self, name: str) -> str:
        """A cell as it stands."""
        return (self.cells.get(name) or "").strip()

    def count(self, name: str, default: int | None = None) -> int:
        """A whole number of 1 or more, as a spreadsheet may write it (`8.0`); `default` where the cell is empty."""
        text = self.word(name)
        if not text and default is not None:
            return default
        expected = (
            f"a whole number from 1 to {MOST[name]:,}" if name in MOST else "a whole number of 1 or more"
        )
        number = self._number(name, text, expected)
        if number != int(number) or number > MOST.get(name, number):
            raise CellError(f"{name} `{text}`", expected)
        return int(number)

    def measured(self, name: str) -> float | None:
        """A number above 0; None where the cell is empty."""
        text = self.word(name)
        return self._number(name, text, "a number above 0") if text else None

    def _number(self, name: str, text: str, expected: str) -> float:
        try:
            number = float(text)
        except ValueError:
            raise CellError(f"{name} `{text}`", expected) from None
        if not 0 < number < 1e18:
            raise CellError(f"{name} `{text}`", expected)
        return number


def read_rows(path: Path) -> tuple[Row, ...]:
    """Read a CSV with a heading.

    Raises DocumentError for a table that lacks columns or has no line and for a file that is no text, UsageError for
    one that cannot be opened.
    """
    table = csv.DictReader(StringIO(_text(path), newline=""), restval="")
    try:
        named = [(name or "").strip() for name in table.fieldnames or ()]
        needed = [name for name in NEEDED if "preset" not in named or name not in SIZES]
        if missing := [name for name in needed if name not in named]:
            raise DocumentError(
                str(path),
                [row_fault(path, 1, f"no column {', '.join(missing)}", f"the columns {', '.join(needed)}")],
            )
        table.fieldnames = named
        rows = tuple(Row(table.line_num, row) for row in table)
    except csv.Error as error:
        raise DocumentError(str(path), [row_fault(path, table.line_num, str(error), "a table")]) from error
    if not rows:
        raise DocumentError(str(path), [row_fault(path, 2, "no line", "a run on each")])
    return rows


def row_fault(path: Path, line: int, found: str, expected: str) -> Fault:
    """Say what is wrong on a line."""
    return Fault(path=(), found=found, expected=expected, where=f"{path}:{line}")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(str(path), found=error.strerror or str(error), expected="a table of runs") from error
    except UnicodeDecodeError as error:
        raise DocumentError(str(path), [row_fault(path, 1, "bytes that are no UTF-8", "text")]) from error

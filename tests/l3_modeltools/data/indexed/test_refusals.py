"""Tokens below 0 are not written, and an index without an entry is none."""

from pathlib import Path

import numpy as np
import pytest

from l0_infra.core.errors import UnsatisfiableError, UsageError
from l3_modeltools.data.indexed import IndexedReader, IndexedWriter
from l3_modeltools.data.indexed.layout import IndexHeader, render_header


def test_a_token_below_zero_is_refused(tmp_path: Path) -> None:
    with IndexedWriter(tmp_path / "a", "uint16") as writer, pytest.raises(UsageError, match="from -1 to 3"):
        writer.add(np.array([3, -1]))


def test_an_index_without_an_entry_is_refused(tmp_path: Path) -> None:
    header = IndexHeader(dtype=np.dtype("<i4"), sequences=0, entries=0)
    (tmp_path / "a.idx").write_bytes(render_header(header))
    (tmp_path / "a.bin").touch()
    with pytest.raises(UnsatisfiableError, match="0 entries"):
        IndexedReader(tmp_path / "a")

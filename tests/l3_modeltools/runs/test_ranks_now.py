"""How far ranks are is told whole or not at all, and whoever reads it bears whatever lies there."""

from pathlib import Path

import pytest

from l3_modeltools.runs import RankNow, RanksNow, RunLayout, read_ranks, save_ranks

NOW = RanksNow(
    at=12.5,
    ranks=(
        RankNow(rank=0, phase="forward", step=12, own_s=0.1, idle_s=0.2),
        RankNow(rank=1, phase="a phase of a later version", step=11, own_s=0.4, idle_s=3.0),
    ),
)


def test_what_is_saved_is_read_and_nothing_else_is_left(tmp_path: Path) -> None:
    assert read_ranks(tmp_path) is None
    save_ranks(tmp_path, RanksNow(at=1.0))
    save_ranks(tmp_path, NOW)
    assert read_ranks(tmp_path) == NOW
    assert [file.name for file in tmp_path.iterdir()] == ["ranks.json"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"at": "x"}', b'{"at": 1, "ranks": [{"rank": 0}]}', b"\xff\xfe"],
)
def test_what_cannot_be_read_is_nothing(tmp_path: Path, content: bytes) -> None:
    RunLayout(tmp_path).ranks.write_bytes(content)
    assert read_ranks(tmp_path) is None


def test_fields_of_later_versions_do_not_matter(tmp_path: Path) -> None:
    RunLayout(tmp_path).ranks.write_text(
        '{"at": 2, "node": "a", "ranks": [{"rank": 3, "phase": "save", "step": 4, "own_s": 1, "idle_s": 0, "x": 1}]}'
    )
    assert read_ranks(tmp_path) == RanksNow(
        at=2.0, ranks=(RankNow(rank=3, phase="save", step=4, own_s=1.0, idle_s=0.0),)
    )

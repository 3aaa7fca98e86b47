"""The newest valid checkpoint is found, and every change of the folder is whole."""

import os
from pathlib import Path

import pytest

from l0_infra.core.errors import MachineError
from l3_modeltools.checkpoint import Shelf, look_at
from l3_modeltools.schemas import Checkpoint, Checkpointing
from tests.support.checkpoints import A, B, a_checkpoint


def names(shelf: Shelf) -> list[str]:
    return sorted(path.name for path in shelf.directory.iterdir())


def make_way(
    shelf: Shelf, step: int, *, needed_bytes: int = 1, keep: Checkpointing | None = None
) -> Checkpoint | None:
    return shelf.make_way(
        step, needed_bytes=needed_bytes, keep=keep or Checkpointing(), run="r", architecture_sha256=A
    )


def flip(directory: Path, size: int = 1000) -> None:
    (directory / "__0_0.distcp").write_bytes(b"\x01" * size)


def test_what_is_bad_is_passed_over_for_the_newest_valid(tmp_path: Path) -> None:
    a_checkpoint(tmp_path, 10)
    a_checkpoint(tmp_path, 20)
    a_checkpoint(tmp_path, 30, run="other")
    a_checkpoint(tmp_path, 40, architecture=B)
    flip(a_checkpoint(tmp_path, 50))
    os.truncate(a_checkpoint(tmp_path, 60) / "__0_0.distcp", 1)
    a_checkpoint(tmp_path, 70, name="step-00000070.partial")
    newest, passed_over = Shelf(tmp_path).newest_valid(run="r", architecture_sha256=A)
    assert newest and newest.step == 20
    assert [(found.step, found.fault) for found in passed_over] == [
        (70, "half-written: its save did not end"),
        (60, "`__0_0.distcp` has 1 of 1,000 bytes"),
        (50, "`__0_0.distcp` (1000 B) differs from its hash"),
        (40, "it is of a model of another architecture"),
        (30, "it belongs to the run `other`"),
    ]


def test_sizes_alone_do_not_see_a_flipped_bit(tmp_path: Path) -> None:
    flip(a_checkpoint(tmp_path, 50))
    newest, _ = Shelf(tmp_path).newest_valid(verify="sizes")
    assert newest and newest.step == 50


def test_a_folder_without_any_has_none(tmp_path: Path) -> None:
    (tmp_path / "step-5").mkdir()
    (tmp_path / "step-000000005").mkdir()
    (tmp_path / "notes").touch()
    assert Shelf(tmp_path).newest_valid() == (None, ())
    assert Shelf(tmp_path / "nowhere").newest_valid() == (None, ())


def test_leftovers_are_swept_and_the_rest_stays(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    a_checkpoint(tmp_path, 10)
    a_checkpoint(tmp_path, 20, name="step-00000020.partial")
    a_checkpoint(tmp_path, 5, name="step-00000005.removing")
    a_checkpoint(tmp_path, 7, name="step-00000007.damaged-1")
    shelf.sweep()
    assert names(shelf) == ["step-00000007.damaged-1", "step-00000010"]


def test_keep_rules_are_followed(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    for step in range(5, 55, 5):
        a_checkpoint(tmp_path, step, run="other" if step == 10 else "r")
    os.truncate(tmp_path / "step-00000015" / ".metadata", 0)
    newest = look_at(shelf.place(40)).manifest
    assert newest
    pruned = shelf.prune(newest, Checkpointing(every_steps=5, keep_last=2, keep_every_steps=20))
    assert [found.step for found in pruned] == [5, 25, 30]
    assert [found.step for found in shelf.found()] == [10, 15, 20, 35, 40, 45, 50]


def test_a_sound_one_of_the_same_step_stays(tmp_path: Path) -> None:
    before = (a_checkpoint(tmp_path, 10) / "manifest.json").stat()
    there = make_way(Shelf(tmp_path), 10)
    assert there and there.step == 10
    assert os.path.samestat(before, (tmp_path / "step-00000010" / "manifest.json").stat())


def test_a_damaged_one_of_the_same_step_is_set_aside_each_time(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    for _ in range(2):
        flip(a_checkpoint(tmp_path, 10))
        assert make_way(shelf, 10) is None
    a_checkpoint(tmp_path, 10, run="other")
    assert make_way(shelf, 10) is None
    assert names(shelf) == [f"step-00000010.damaged-{number}" for number in (1, 2, 3)]


def test_room_is_made_within_the_budget(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    for step in (10, 20, 30):
        a_checkpoint(tmp_path, step, size=10_000)
    keep = Checkpointing(keep_last=2, max_bytes=45_000)
    assert make_way(shelf, 40, needed_bytes=20_000, keep=keep) is None
    assert [found.step for found in shelf.found()] == [20, 30]


def test_what_only_looks_sound_makes_no_sound_one_go(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    for step in (10, 20, 30):
        a_checkpoint(tmp_path, step, size=10_000)
    flip(tmp_path / "step-00000030", size=10_000)
    keep = Checkpointing(keep_last=1, max_bytes=45_000)
    assert make_way(shelf, 40, needed_bytes=20_000, keep=keep) is None
    assert [found.step for found in shelf.found()] == [10, 20]


def test_no_room_is_refused_and_nothing_removed(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    for step in (10, 20, 30):
        a_checkpoint(tmp_path, step)
    with pytest.raises(MachineError, match=r"1 EiB to save and .* free") as refused:
        make_way(shelf, 40, needed_bytes=2**60)
    assert refused.value.retry and "max_bytes" in refused.value.hint
    assert [found.step for found in shelf.found()] == [10, 20, 30]


def test_a_link_in_its_place_is_set_aside_not_followed(tmp_path: Path) -> None:
    precious = a_checkpoint(tmp_path / "elsewhere", 10)
    shelf = Shelf(tmp_path / "checkpoints")
    shelf.prepare()
    shelf.place(10).symlink_to(precious)
    shelf.workplace(20).symlink_to(precious)
    assert make_way(shelf, 10) is None
    assert names(shelf) == ["step-00000010.damaged-1"]
    assert (precious / "manifest.json").exists()


def test_one_saves_at_a_time(tmp_path: Path) -> None:
    with (
        Shelf(tmp_path).claim(),
        pytest.raises(MachineError, match="another process"),
        Shelf(tmp_path).claim(),
    ):
        pass
    with Shelf(tmp_path).claim():
        pass

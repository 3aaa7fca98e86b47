"""A disk that is full, foreseen or not, costs the checkpoint that had no room and no other."""

import resource
from pathlib import Path

import pytest
import torch

from l0_infra.core.errors import MachineError
from l3_modeltools.checkpoint import Saver, Shelf, load_state
from l3_modeltools.schemas import Checkpointing
from tests.support.small_disk import a_small_disk

pytestmark = pytest.mark.real

MIB = 2**20


def a_saver(shelf: Shelf) -> Saver:
    return Saver(shelf, run="r", architecture_sha256="a" * 64, keep=Checkpointing())


def a_state(value: float) -> dict[str, object]:
    return {"w": torch.full((3 * MIB // 4,), float(value))}


def is_whole(shelf: Shelf, step: int) -> bool:
    state = a_state(0)
    load_state(shelf.place(step), state)
    return torch.equal(state["w"], a_state(step)["w"])  # type: ignore[arg-type]


def test_what_has_no_room_is_refused_with_figures(tmp_path: Path) -> None:
    with a_small_disk(tmp_path, "size=8m") as disk, a_saver(shelf := Shelf(disk / "checkpoints")) as saver:
        saver.save(a_state(1), step=1, tokens=1)
        saver.save(a_state(2), step=2, tokens=2)
        saver.save(a_state(3), step=3, tokens=3)
        with pytest.raises(MachineError, match=r"3 MiB to save and [12](\.\d+)? MiB free"):
            saver.wait()
        assert (is_whole(shelf, 1), is_whole(shelf, 2)) == (True, True)
        assert [found.step for found in shelf.found()] == [1, 2]


def test_a_file_that_may_not_grow_is_told_and_the_next_save_is_tried(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with a_saver(shelf) as saver:
        saver.save(a_state(1), step=1, tokens=1)
        saver.wait()
        resource.setrlimit(resource.RLIMIT_FSIZE, (MIB, hard))
        try:
            saver.save(a_state(2), step=2, tokens=2)
            with pytest.raises(MachineError, match="file too large, on rank 0"):
                saver.wait()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert [found.directory.name for found in shelf.found()] == ["step-00000001"]
        saver.save(a_state(3), step=3, tokens=3)
    assert (is_whole(shelf, 1), is_whole(shelf, 3)) == (True, True)


@pytest.mark.parametrize("inodes", range(9, 14))
def test_a_disk_that_is_full_though_it_has_bytes_is_told(tmp_path: Path, inodes: int) -> None:
    with a_small_disk(tmp_path, f"nr_inodes={inodes}") as disk:
        shelf = Shelf(disk / "checkpoints")
        with pytest.raises(MachineError, match="no space left on device"), a_saver(shelf) as saver:
            for step in (1, 2, 3):
                saver.save(a_state(step), step=step, tokens=step)
        found = shelf.found()
        assert [(one.step, one.fault) for one in found] == [(1, ""), (2, "")][: len(found)]
        assert found and all(is_whole(shelf, one.step) for one in found)

"""A small file that the disk refuses is tried again until it is written, the run is told to stop, or it is hopeless."""

import errno
import mmap
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from l0_infra.core.errors import MachineError
from l3_modeltools.checkpoint import Saver, Shelf, StorageError
from l3_modeltools.resilience import Heart, page_bytes
from l3_modeltools.runs import read_faults, read_marks
from l3_modeltools.schemas import Checkpointing
from l3_modeltools.training.keeper import Keeper
from l3_modeltools.training.logbook import Logbook
from l3_modeltools.training.world import World

WORLD = World(rank=0, size=1, device=torch.device("cpu"))


class Disk:
    """Refuses so many times, as the system or as a function of ours that tells a person."""

    def __init__(self, number: int, *, times: int, wrapped: bool) -> None:
        self.number, self.left, self.wrapped = number, times, wrapped
        self.written = 0

    def write(self) -> None:
        if not self.left:
            self.written += 1
            return
        self.left -= 1
        error = OSError(self.number, os.strerror(self.number))
        if not self.wrapped:
            raise error
        raise MachineError(
            "run.json", found=error.strerror, expected="a folder that can be written"
        ) from error


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[Saver]:
    shelf = Shelf(tmp_path / "checkpoints")
    with Saver(shelf, run="r", architecture_sha256="0" * 64, keep=Checkpointing()) as saver:
        yield saver


def a_keeper(saver: Saver, directory: Path, *, stop: bool = False) -> Keeper:
    heart = Heart(mmap.mmap(-1, page_bytes(1)), 0)
    heart.enter("backward", 7)
    logbook = Logbook(directory, "r", heart, say=[].append)
    return Keeper(saver, dict, world=WORLD, heart=heart, logbook=logbook, wants_stop=lambda: stop, look_s=0.0)


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(
    ("number", "fault_class"),
    [
        (errno.ENOSPC, "storage_full"),
        (errno.EDQUOT, "storage_full"),
        (errno.EROFS, "storage_read_only"),
    ],
)
def test_it_is_waited_for(saver: Saver, tmp_path: Path, number: int, fault_class: str, wrapped: bool) -> None:
    disk = Disk(number, times=3, wrapped=wrapped)
    assert a_keeper(saver, tmp_path).write(disk.write, what="the outcome could not be written")
    assert disk.written == 1
    (fault,) = read_faults(tmp_path)
    assert (fault.fault_class, fault.taken, fault.step) == (fault_class, "pause", 7)
    assert fault.summary == f"the outcome could not be written: {os.strerror(number).lower()}"
    assert [(mark.mark, mark.step) for mark in read_marks(tmp_path)] == [("paused", 7), ("went_on", 7)]


def test_what_the_disk_takes_at_once_leaves_no_trace(saver: Saver, tmp_path: Path) -> None:
    assert a_keeper(saver, tmp_path).write(Disk(0, times=0, wrapped=False).write, what="it could not be")
    assert read_faults(tmp_path) == () and read_marks(tmp_path) == ()


def test_a_wish_to_stop_ends_the_wait(saver: Saver, tmp_path: Path) -> None:
    disk = Disk(errno.ENOSPC, times=1000, wrapped=True)
    assert not a_keeper(saver, tmp_path, stop=True).write(disk.write, what="it could not be")
    assert [mark.mark for mark in read_marks(tmp_path)] == ["paused"]


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_broken_disk_is_no_matter_of_waiting(saver: Saver, tmp_path: Path, wrapped: bool) -> None:
    disk = Disk(errno.EIO, times=1000, wrapped=wrapped)
    with pytest.raises(StorageError, match="input/output error"):
        a_keeper(saver, tmp_path).write(disk.write, what="it could not be")

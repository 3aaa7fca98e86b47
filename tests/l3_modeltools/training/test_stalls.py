"""A wait for data is told when it is far longer than a step, and once."""

import mmap
from pathlib import Path

import pytest
import torch

from l3_modeltools.resilience.heartbeat import Heart, page_bytes
from l3_modeltools.runs import read_faults
from l3_modeltools.training.logbook import Logbook
from l3_modeltools.training.stalls import Stalls
from l3_modeltools.training.world import World


def make(folder: Path, step_s: float) -> Stalls:
    heart = Heart(mmap.mmap(-1, page_bytes(1)), 0)
    heart.enter("optimizer", 12)
    logbook = Logbook(folder, "r", heart, say=[].append)
    stalls = Stalls(World(rank=0, size=1, device=torch.device("cpu")), logbook)
    assert not stalls.is_stall(1000.0), "nothing is known yet"
    for _ in range(4):
        stalls.stepped(step_s)
    return stalls


@pytest.mark.parametrize(
    ("step_s", "wait_s", "is_one"), [(0.1, 1.9, False), (0.1, 2.1, True), (1.0, 4.9, False), (1.0, 5.1, True)]
)
def test_a_stall_is_far_longer_than_a_step(
    tmp_path: Path, step_s: float, wait_s: float, is_one: bool
) -> None:
    assert make(tmp_path, step_s).is_stall(wait_s) is is_one


def test_a_stall_is_told_once_while_it_goes_on(tmp_path: Path) -> None:
    stalls = make(tmp_path, 0.1)
    for wait_s in (3.0, 4.0, 0.1, 5.0):
        stalls.settle(wait_s, is_one=stalls.is_stall(wait_s))
    first, second = read_faults(tmp_path)
    assert (first.fault_class, first.step, first.section, first.taken) == ("data_stall", 12, "data", "none")
    assert [suspect.rank for suspect in first.suspects] == [0]
    assert "3.0 s" in first.summary and "5.0 s" in second.summary
    assert first.occurred_at is not None and abs(first.detected_at - first.occurred_at - 3.0) < 1e-6

"""Copies of a rank's state in memory: what was kept comes back bit by bit, and a torn copy is none."""

import os
from collections.abc import Iterator

import pytest
import torch
from torch import nn

from l3_modeltools.checkpoint import MemoryCopies, owned_by
from l3_modeltools.checkpoint.slots import SlotFile


class Rank:
    """A rank that learns, with a memory file of its own or that of an earlier one."""

    def __init__(self, file: int, seed: int) -> None:
        torch.manual_seed(seed)
        self.model = nn.Linear(5, 3)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.1)
        owned = owned_by("r", self.model, self.optimizer, sharded=False, ranks=1)
        self.copies = MemoryCopies((file,), 0, owned)
        self.step = 0

    def learn(self) -> None:
        self.model(torch.ones(2, 5)).square().sum().backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1

    def keep(self) -> float | None:
        return self.copies.keep(step=self.step, tokens=self.step * 10, skipped=())

    def state(self) -> list[torch.Tensor]:
        return [tensor.clone() for tensor in self.copies.owned.tensors()]


@pytest.fixture
def file() -> Iterator[int]:
    descriptor = os.memfd_create("test")
    yield descriptor
    os.close(descriptor)


def held(file: int) -> list[int | None]:
    return [kept.step if kept else None for kept in SlotFile(file).read()]


def test_the_newest_two_are_kept_and_come_back_in_another_process_bit_by_bit(file: int) -> None:
    rank, states = Rank(file, seed=1), {}
    assert rank.keep() is None, "there are no moments before the first step"
    for _ in range(3):
        rank.learn()
        states[rank.step] = rank.state()
        assert rank.keep()
    assert held(file) == [3, 2]
    for step in (2, 3):
        other = Rank(file, seed=2)
        other.copies.load(step=step, source=0)
        assert all(map(torch.equal, other.state(), states[step]))
    with pytest.raises(ValueError, match="is not in list"):
        rank.copies.load(step=1, source=0)


def test_a_state_that_is_there_is_not_copied_again(file: int) -> None:
    rank = Rank(file, seed=1)
    rank.learn()
    assert rank.keep() != 0.0
    assert rank.keep() == 0.0
    assert held(file) == [1, None]


def test_a_copy_that_is_broken_off_is_none_and_leaves_the_other(
    file: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rank = Rank(file, seed=1)
    for _ in range(2):
        rank.learn()
        rank.keep()
    rank.learn()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(torch, "_foreach_copy_", broken_off)
        rank.keep()
    assert held(file) == [None, 2]


def broken_off(*tensors: object) -> None:
    raise KeyboardInterrupt


def test_a_state_without_room_is_refused_with_a_reason(file: int) -> None:
    rank = Rank(file, seed=1)
    huge = nn.Parameter(torch.zeros(1).expand(2 * 10**18), requires_grad=True)
    rank.model.huge = huge  # no file can be so large, were it tried
    rank.optimizer.state[huge] = {}
    rank.learn()
    rank.copies.owned = owned_by("r", rank.model, rank.optimizer, sharded=False, ranks=1)
    assert rank.keep() is None
    assert "would take" in rank.copies.refusal
    assert held(file) == [None, None]


def test_a_state_that_its_job_has_no_memory_left_for_is_refused(file: int) -> None:
    rank = Rank(file, seed=1)
    rank.copies.available = lambda: 20_000
    rank.learn()
    assert rank.keep() is None
    assert "more than the 4.88 KiB that may be taken" in rank.copies.refusal
    rank.copies.available = lambda: 1 << 20
    assert rank.keep()

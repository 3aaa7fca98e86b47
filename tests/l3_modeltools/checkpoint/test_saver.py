"""One process saves: what is written is the state as of the call, and what goes wrong is said at the next."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from l0_infra.core.errors import MachineError
from l3_modeltools.checkpoint import Saver, Shelf, load_state
from l3_modeltools.schemas import Checkpoint, Checkpointing

A = "a" * 64


def a_state(value: float) -> dict[str, object]:
    return {
        "model": {"w": torch.full((200_000,), value)},
        "optimizer": {"step": torch.tensor(value), "lr": value},
    }


def tensor_of(state: dict[str, object]) -> torch.Tensor:
    model = state["model"]
    assert isinstance(model, dict)
    tensor: torch.Tensor = model["w"]
    return tensor


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "run" / "checkpoints")


@pytest.fixture
def told() -> list[int]:
    return []


@pytest.fixture
def saver(shelf: Shelf, told: list[int]) -> Iterator[Saver]:
    with Saver(
        shelf,
        run="r",
        architecture_sha256=A,
        keep=Checkpointing(keep_last=2),
        on_saved=lambda manifest: told.append(manifest.step),
    ) as saver:
        yield saver


def test_the_values_are_those_of_the_call(shelf: Shelf, saver: Saver) -> None:
    state = a_state(0)
    for step in (1, 2, 3):
        tensor_of(state).fill_(step)
        saver.save(state, step=step, tokens=step)
        tensor_of(state).fill_(-1)
    saver.wait()
    for step in (2, 3):
        loaded = a_state(0)
        load_state(shelf.place(step), loaded, architecture_sha256=A)
        assert torch.equal(tensor_of(loaded), torch.full((200_000,), float(step)))


def test_it_keeps_the_rules_and_tells_of_each(shelf: Shelf, saver: Saver, told: list[int]) -> None:
    for step in (10, 20, 30):
        saver.save(a_state(step), step=step, tokens=step * 7)
    saver.wait()
    assert told == [10, 20, 30]
    newest, passed_over = shelf.newest_valid(run="r", architecture_sha256=A)
    assert newest and newest.manifest and not passed_over
    assert (newest.step, newest.manifest.tokens, newest.manifest.world_size) == (30, 210, 1)
    assert [found.step for found in shelf.found()] == [20, 30]


def test_the_copies_are_used_again(saver: Saver) -> None:
    state = a_state(1)
    share = {"w": tensor_of(state)}
    before = saver.stager.stage(share)["w"].data_ptr()
    tensor_of(state).fill_(2)
    assert saver.stager.stage(share)["w"].data_ptr() == before


def test_a_step_that_is_there_is_kept(shelf: Shelf, saver: Saver, told: list[int]) -> None:
    saver.save(a_state(1), step=5, tokens=1)
    saver.wait()
    before = (shelf.place(5) / "manifest.json").read_bytes()
    saver.save(a_state(2), step=5, tokens=2)
    saver.wait()
    assert (shelf.place(5) / "manifest.json").read_bytes() == before
    assert told == [5, 5]


def test_a_failure_surfaces_at_the_next_call_and_the_one_after_saves(shelf: Shelf, saver: Saver) -> None:
    saver.save(a_state(1), step=1, tokens=1)
    saver.wait()
    shelf.workplace(2).mkdir()
    saver.keep = Checkpointing(max_bytes=1000)
    saver.save(a_state(2), step=2, tokens=2)
    with pytest.raises(MachineError, match="max_bytes 1000 B"):
        saver.save(a_state(3), step=3, tokens=3)
    saver.keep = Checkpointing()
    saver.save(a_state(4), step=4, tokens=4)
    saver.wait()
    assert [found.step for found in shelf.found()] == [1, 4]


def test_what_the_listener_raises_surfaces_too(shelf: Shelf) -> None:
    def refuse(manifest: Checkpoint) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    saver = Saver(shelf, run="r", architecture_sha256=A, keep=Checkpointing(), on_saved=refuse)
    saver.save(a_state(1), step=1, tokens=1)
    with pytest.raises(MachineError, match="no space left on device, on rank 0"):
        saver.close()
    newest, _ = shelf.newest_valid()
    assert newest and newest.step == 1


def test_a_second_saver_is_refused_until_the_first_is_closed(shelf: Shelf, saver: Saver) -> None:
    with pytest.raises(MachineError, match="another process that saves"):
        Saver(shelf, run="r", architecture_sha256=A, keep=Checkpointing())
    saver.save(a_state(1), step=1, tokens=1)
    saver.close()
    with Saver(shelf, run="r", architecture_sha256=A, keep=Checkpointing()) as second:
        second.save(a_state(2), step=2, tokens=2)
    assert [(found.step, found.fault) for found in shelf.found()] == [(1, ""), (2, "")]


def test_leftovers_of_a_killed_saver_are_swept_at_the_start(shelf: Shelf) -> None:
    shelf.prepare()
    (shelf.workplace(9)).mkdir()
    (shelf.workplace(9) / "__0_0.distcp").write_bytes(b"half")
    Saver(shelf, run="r", architecture_sha256=A, keep=Checkpointing()).close()
    assert shelf.found() == ()


def test_an_error_of_the_training_is_told_and_the_save_before_it_ends(shelf: Shelf) -> None:
    saver = Saver(shelf, run="r", architecture_sha256=A, keep=Checkpointing())
    with pytest.raises(ZeroDivisionError), saver:
        saver.save(a_state(1), step=1, tokens=1)
        _ = 1 // 0
    assert [(found.step, found.fault) for found in shelf.found()] == [(1, "")]

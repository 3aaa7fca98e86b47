"""A state is loaded in place, and what does not fit is refused before anything is changed."""

from pathlib import Path

import pytest
import torch

from l0_infra.core.errors import UnhealthyError, UnsatisfiableError
from l3_modeltools.checkpoint import Saver, Shelf, load_state
from l3_modeltools.schemas import Checkpointing

A, B = "a" * 64, "b" * 64
State = dict[str, object]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    shelf = Shelf(tmp_path)
    with Saver(shelf, run="r", architecture_sha256=A, keep=Checkpointing()) as saver:
        saver.save({"w": torch.ones(3, 2), "b": torch.ones(2), "lr": 0.5}, step=1, tokens=1)
    return shelf.place(1)


def test_it_is_loaded_into_the_tensors_that_are_there(directory: Path) -> None:
    tensor = torch.zeros(3, 2)
    state: State = {"w": tensor, "b": torch.zeros(2), "lr": 0.0}
    manifest = load_state(directory, state, architecture_sha256=A)
    assert (manifest.step, state["lr"], state["w"] is tensor) == (1, 0.5, True)
    assert torch.equal(tensor, torch.ones(3, 2))


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ({"w": torch.zeros(3, 2), "lr": 0.0}, "`b`, which is not asked for"),
        ({"w": torch.zeros(3, 2), "b": torch.zeros(2), "lr": 0.0, "c": torch.zeros(1)}, "no `c`"),
        (
            {"w": torch.zeros(2, 3), "b": torch.zeros(2), "lr": 0.0},
            "`w` as float32 [3, 2], not float32 [2, 3]",
        ),
        ({"w": torch.zeros(3, 2).half(), "b": torch.zeros(2), "lr": 0.0}, "not float16 [3, 2]"),
        (
            {"w": torch.zeros(3, 2), "b": torch.zeros(2), "lr": torch.zeros(1)},
            "`lr` as a value, not float32 [1]",
        ),
        ({f"v{number}": 0 for number in range(5)}, "and 5 more differences"),
    ],
    ids=["missing", "unexpected", "shape", "type", "kind", "many"],
)
def test_what_does_not_fit_is_refused_untouched(directory: Path, state: State, told: str) -> None:
    with pytest.raises(UnsatisfiableError) as refused:
        load_state(directory, state)
    assert told in refused.value.found
    assert not any(value.any() for value in state.values() if isinstance(value, torch.Tensor))


def test_another_architecture_is_refused(directory: Path) -> None:
    state: State = {"w": torch.zeros(3, 2), "b": torch.zeros(2), "lr": 0.0}
    with pytest.raises(UnsatisfiableError, match="another architecture"):
        load_state(directory, state, architecture_sha256=B)


@pytest.mark.parametrize("file", ["manifest.json", ".metadata", "__0_0.distcp"])
def test_a_damaged_one_is_refused(directory: Path, file: str) -> None:
    (directory / file).unlink()
    with pytest.raises(UnhealthyError, match=file):
        load_state(directory, {"w": torch.zeros(3, 2), "b": torch.zeros(2), "lr": 0.0})


def test_what_hashes_would_have_told_is_no_traceback(directory: Path) -> None:
    shard = directory / "__0_0.distcp"
    shard.write_bytes(b"\0" * shard.stat().st_size)
    with pytest.raises(UnhealthyError, match="expected a whole checkpoint"):
        load_state(directory, {"w": torch.zeros(3, 2), "b": torch.zeros(2), "lr": 0.0})

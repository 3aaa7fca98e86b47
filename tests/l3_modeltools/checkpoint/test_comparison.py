"""Two checkpoints are told apart tensor by tensor."""

import math
import shutil
from pathlib import Path

import pytest
import torch

from l0_infra.core.errors import UnhealthyError
from l3_modeltools.checkpoint import Compared, Saver, Shelf, compare_checkpoints
from l3_modeltools.schemas import Checkpointing

NAN = math.nan


def save(folder: Path, **state: object) -> Path:
    with Saver(Shelf(folder), run="r", architecture_sha256="a" * 64, keep=Checkpointing()) as saver:
        saver.save({"m": state}, step=1, tokens=1)
    return Shelf(folder).place(1)


def test_every_entry_is_told(tmp_path: Path) -> None:
    first = save(
        tmp_path / "a",
        same=torch.tensor([1.0, NAN, -0.0]),
        changed=torch.tensor([[1.0, 2.0], [4.0, 8.0]]),
        zero=torch.tensor([0.0]),
        whole=torch.tensor([3, 5]),
        half=torch.ones(2, dtype=torch.bfloat16),
        scalar=torch.tensor(2.0),
        shape=torch.zeros(2),
        rate=0.5,
        names=[1, 2],
        gone=torch.zeros(1),
    )
    second = save(
        tmp_path / "b",
        same=torch.tensor([1.0, NAN, -0.0]),
        changed=torch.tensor([[1.0, 2.5], [4.0, 7.0]]),
        zero=torch.tensor([-0.0]),
        whole=torch.tensor([3, 4]),
        half=torch.tensor([1.0, NAN], dtype=torch.bfloat16),
        scalar=torch.tensor(3.0),
        shape=torch.zeros(3),
        rate=0.25,
        names=[1, 2],
        new=torch.zeros(1),
    )

    def row(name: str, verdict: str, *rest: object) -> Compared:
        fields = dict(zip(("shape", "differing", "max_absolute", "max_relative"), rest, strict=False))
        return Compared(name=f"m.{name}", verdict=verdict, **fields)  # type: ignore[arg-type]

    assert list(compare_checkpoints(first, second)) == [
        row("changed", "differs", (2, 2), 2, 1.0, 0.125),
        row("gone", "only in A"),
        row("half", "differs", (2,), 1),
        row("names", "equal"),
        row("new", "only in B"),
        row("rate", "differs"),
        row("same", "equal", (3,)),
        row("scalar", "differs", (), 1, 1.0, 0.5),
        row("shape", "other shape", (2,)),
        row("whole", "differs", (2,), 1, 1.0, 0.2),
        row("zero", "differs", (1,), 1, 0.0),
    ]


def test_a_checkpoint_that_is_removed_meanwhile_is_told(tmp_path: Path) -> None:
    values = {name: torch.zeros(2) for name in ("one", "two")}
    first, second = save(tmp_path / "a", **values), save(tmp_path / "b", **values)
    entries = compare_checkpoints(first, second)
    next(entries)
    shutil.rmtree(second)
    with pytest.raises(UnhealthyError, match="removed while it was read"):
        list(entries)

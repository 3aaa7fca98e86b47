"""What is ordered happens on its rank in its step and nowhere else, and nothing at all without a file of orders."""

import errno
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import torch

from l0_infra.core.errors import MachineError
from l3_modeltools.checkpoint import Saver, Shelf
from l3_modeltools.data import Batch, PairBatch
from l3_modeltools.resilience.drill import Order, append_order, read_fired, withdraw_order
from l3_modeltools.schemas import Checkpointing
from l3_modeltools.training import build_model
from l3_modeltools.training.drill import Drills
from l3_modeltools.training.drill.blows import DrillError
from l3_modeltools.training.drill.damage import damage
from l3_modeltools.training.objectives import objective_of
from tests.support.checkpoints import a_checkpoint
from tests.support.tiny_models import LLAMA, training

TOKENS = torch.arange(34).reshape(2, 17)
BATCH = Batch(input_ids=TOKENS[:, :-1], labels=TOKENS[:, 1:])
Steps = Iterator[tuple[int, Sequence[Batch | PairBatch]]]


def steps(*numbers: int) -> Steps:
    return iter([(number, (BATCH, BATCH)) for number in numbers])


def make_drills(directory: Path, *, rank: int = 0) -> Drills:
    return Drills(directory, rank=rank, ranks=2, forget=lambda: None)


def losses(drills: Drills, *numbers: int) -> list[list[bool]]:
    """Run the model over both micro batches of each step; return whether each loss was finite."""
    train = training(LLAMA)
    model = build_model(train, LLAMA, seed=0)
    objective = drills.objective(objective_of(train, model))
    return [
        [math.isfinite(objective.loss(model, batch).sum.item()) for batch in batches]
        for _, batches in drills.batches(steps(*numbers))
    ]


def test_without_orders_nothing_of_drills_is_loaded_and_nothing_changes(tmp_path: Path) -> None:
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, pathlib\n"
            "from l3_modeltools.training.drill import Drills\n"
            f"drills = Drills(pathlib.Path({str(tmp_path)!r}), rank=0, ranks=1, forget=print)\n"
            "steps = list(drills.batches(iter([(1, ()), (2, ())])))\n"
            "drills.before_write()\n"
            "print(steps, [name for name in sys.modules if '.drill.' in name or name == 'torch'])",
        ],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said.strip() == "[(1, ()), (2, ())] ['l3_modeltools.training.drill.watch']"


def test_one_nan_comes_once_on_its_rank(tmp_path: Path) -> None:
    append_order(tmp_path, Order(id=1, fault="nan", rank=1, step=2))
    assert losses(make_drills(tmp_path, rank=0), 1, 2, 3) == [[True, True]] * 3
    assert losses(make_drills(tmp_path, rank=1), 1, 2, 3) == [[True, True], [False, True], [True, True]]
    assert losses(make_drills(tmp_path, rank=1), 2) == [[True, True]], "a restart must not do it again"
    assert [(one.rank, one.step) for one in read_fired(tmp_path)] == [(1, 2)]


def test_a_nan_of_the_data_comes_whenever_its_step_is_computed(tmp_path: Path) -> None:
    append_order(tmp_path, Order(id=1, fault="nan", rank=1, step=2, often="always"))
    for _ in range(2):
        assert losses(make_drills(tmp_path, rank=1), 1, 2, 3) == [[True, True], [False, False], [True, True]]


def test_garbage_is_the_same_each_time_and_of_the_same_shape(tmp_path: Path) -> None:
    append_order(tmp_path, Order(id=1, fault="spike", step=2, often="always"))
    first, again = (dict(make_drills(tmp_path).batches(steps(1, 2, 3))) for _ in range(2))
    for step in (1, 3):
        assert first[step] == (BATCH, BATCH)
    spoilt, same = first[2][0], again[2][0]
    assert isinstance(spoilt, Batch) and isinstance(same, Batch)
    assert spoilt.input_ids.shape == BATCH.input_ids.shape
    assert not torch.equal(spoilt.input_ids, BATCH.input_ids)
    assert torch.equal(spoilt.input_ids, same.input_ids) and torch.equal(spoilt.labels, same.labels)


def test_an_order_that_comes_while_the_run_goes_on_is_seen(tmp_path: Path) -> None:
    drills = make_drills(tmp_path)
    batches = drills.batches(steps(1, 2))
    assert next(batches)[1] == (BATCH, BATCH)
    append_order(tmp_path, Order(id=1, fault="spike", step=2, often="always"))
    assert next(batches)[1] != (BATCH, BATCH)


@pytest.mark.parametrize(("fault", "number"), [("disk_full", errno.ENOSPC), ("read_only", errno.EROFS)])
def test_a_disk_fails_at_writes_until_the_order_is_withdrawn(fault: str, number: int, tmp_path: Path) -> None:
    order = append_order(tmp_path, Order(id=1, fault=fault, step=2))  # type: ignore[arg-type]
    drills = make_drills(tmp_path)
    shelf = Shelf(tmp_path / "checkpoints")
    state = {"w": torch.ones(100)}
    with Saver(
        shelf,
        run="r",
        architecture_sha256="a" * 64,
        keep=Checkpointing(),
        before_write=drills.before_write,
    ) as saver:
        for step in (1, 2):
            next(drills.batches(steps(step)))
            saver.save(state, step=step, tokens=step)
            if step == 1:
                saver.wait()
        with pytest.raises((MachineError, OSError)) as failed:
            saver.wait()
        withdraw_order(tmp_path, order)
        saver.save(state, step=2, tokens=2)
    assert os.strerror(number).lower() in str(failed.value)
    assert [found.step for found in shelf.found()] == [1, 2]


def test_a_crash_says_that_it_was_ordered(tmp_path: Path) -> None:
    append_order(tmp_path, Order(id=1, fault="crash", rank=0, step=2))
    with pytest.raises(DrillError, match="by order 1 of a drill"):
        losses(make_drills(tmp_path), 1, 2)


def test_only_hashes_tell_that_a_checkpoint_was_damaged(tmp_path: Path) -> None:
    for step in (3, 6):
        a_checkpoint(tmp_path / "checkpoints", step)
    assert damage(tmp_path) == tmp_path / "checkpoints" / "step-00000006"
    shelf = Shelf(tmp_path / "checkpoints")
    assert [found.fault for found in shelf.found()] == ["", ""]
    newest, passed_over = shelf.newest_valid()
    assert newest is not None and newest.step == 3
    assert [found.step for found in passed_over] == [6]

from pathlib import Path

import msgspec
import pytest

from l0_infra.core.documents import render_json
from l0_infra.core.errors import DocumentError, UsageError
from l2_scheduler.schemas import Resources
from l3_modeltools.schemas import Degrees, Run, Strategy, Train
from l3_modeltools.training.plan import read_plan
from tests.support.tiny_models import LLAMA, training


def write(folder: Path, train: Train) -> Path:
    run = Run(run_id="r", train=train, directory=str(folder), submitted_at=1.0)
    (folder / "run.json").write_text(render_json(run))
    return folder


def test_a_complete_run_is_read(tmp_path: Path) -> None:
    train = msgspec.structs.replace(training(LLAMA), strategy=Strategy())
    plan = read_plan(write(tmp_path, train), ranks=1)
    assert (plan.train, plan.architecture, plan.steps) == (train, LLAMA, 4)


def test_an_open_strategy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="left open"):
        read_plan(write(tmp_path, training(LLAMA)), ranks=1)


def test_another_number_of_ranks_is_refused(tmp_path: Path) -> None:
    train = msgspec.structs.replace(training(LLAMA), strategy=Strategy(degrees=Degrees(dp=1)))
    with pytest.raises(UsageError, match="2 ranks, with a strategy of dp 1"):
        read_plan(write(tmp_path, train), ranks=2)


def test_another_cut_than_copies_is_refused(tmp_path: Path) -> None:
    train = msgspec.structs.replace(
        training(LLAMA),
        strategy=Strategy(degrees=Degrees(dp=1, pp=2)),
        resources=Resources(tasks_per_node=2),
    )
    with pytest.raises(UsageError, match="no other degree above 1"):
        read_plan(write(tmp_path, train), ranks=1)


def test_a_bad_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"kind": "run"}')
    with pytest.raises(DocumentError):
        read_plan(tmp_path, ranks=1)

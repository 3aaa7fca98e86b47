"""A run goes on with the data sets it began with, or not at all."""

from pathlib import Path

import msgspec
import pytest

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.runs import hash_inputs, require_inputs
from l3_modeltools.schemas import MixturePart, Run
from tests.support.runs import a_run, a_train


def begun(manifest: Path) -> Run:
    train = a_train()
    assert train.data is not None
    data = msgspec.structs.replace(train.data, mixture=(MixturePart(dataset=str(manifest)),))
    train = msgspec.structs.replace(train, data=data)
    return a_run(train, inputs=hash_inputs(train))


def test_the_same_data_sets_are_let_through(tmp_path: Path) -> None:
    manifest = tmp_path / "dataset.json"
    manifest.write_text("{}")
    require_inputs(begun(manifest))


def test_a_data_set_that_was_replaced_is_refused(tmp_path: Path) -> None:
    manifest = tmp_path / "dataset.json"
    manifest.write_text("{}")
    run = begun(manifest)
    manifest.write_text("{ }")
    with pytest.raises(UnsatisfiableError, match="another data set"):
        require_inputs(run)


def test_hashes_of_other_data_sets_are_a_fault_of_the_run() -> None:
    found = [fault.found for fault in a_run(inputs=("sha256:" + "0" * 64,) * 3).faults()]
    assert found == ["3 hashes"]


def test_a_data_set_that_has_gone_is_refused(tmp_path: Path) -> None:
    manifest = tmp_path / "dataset.json"
    manifest.write_text("{}")
    run = begun(manifest)
    manifest.unlink()
    with pytest.raises(UnsatisfiableError, match="no such file"):
        require_inputs(run)

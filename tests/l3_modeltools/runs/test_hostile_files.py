"""What lies in a run's directory may be damaged in any way: it tells less, it never breaks or holds up a reader."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from l0_infra.core.errors import MachineError
from l3_modeltools.checkpoint import Shelf
from l3_modeltools.resilience.drill.orders import read_fired, read_orders
from l3_modeltools.runs import (
    list_saved,
    read_faults,
    read_marks,
    read_metric_lines,
    read_outcome,
    read_ranks,
    read_samples,
    scan_runs,
)

DEEP = b'{"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}\n"
READERS: dict[str, Callable[[Path], object]] = {
    "faults.jsonl": read_faults,
    "timeline.jsonl": read_marks,
    "metrics.jsonl": read_metric_lines,
    "samples.jsonl": read_samples,
    "drills.jsonl": read_orders,
    "drills-fired.jsonl": read_fired,
    "outcome.json": read_outcome,
    "ranks.json": read_ranks,
    "checkpoints": list_saved,
}


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        here = Path.cwd()
        os.chdir(path.parent)  # a socket's address is short
        try:
            one.bind(path.name)
        finally:
            os.chdir(here)


THINGS: dict[str, Callable[[Path], object]] = {
    "folder": Path.mkdir,
    "fifo": os.mkfifo,
    "loop": lambda path: path.symlink_to(path.name),
    "nowhere": lambda path: path.symlink_to("/nowhere/at/all"),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "socket": listen,
}


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file_tells_nothing_and_is_not_waited_for(tmp_path: Path, name: str, thing: str) -> None:
    THINGS[thing](tmp_path / name)
    assert not READERS[name](tmp_path)


@pytest.mark.parametrize("name", [name for name in READERS if name != "checkpoints"])
def test_lines_that_are_nested_without_end_are_passed_over(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(DEEP)
    assert not READERS[name](tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "faults.jsonl").write_bytes(b"{}\n")
    (tmp_path / "faults.jsonl").chmod(0)
    with pytest.raises(MachineError, match="permission denied"):
        read_faults(tmp_path)


def test_a_file_in_the_place_of_the_checkpoints_holds_none(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").write_bytes(b"x")
    assert Shelf(tmp_path / "checkpoints").found() == ()


def test_a_run_json_that_is_a_fifo_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "small-1").mkdir()
    os.mkfifo(tmp_path / "small-1" / "run.json")
    assert scan_runs(tmp_path).runs == ()


def test_only_a_loss_or_a_gradient_may_be_no_number(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text(
        '{"step": 1, "at": NaN, "loss": NaN, "grad_norm": Infinity, "tokens": Infinity, "memory_bytes": 1e999}\n'
    )
    (told,) = read_metric_lines(tmp_path)
    assert (told.at, told.tokens, told.memory_bytes) == (None, None, None)
    assert told.loss != told.loss and told.grad_norm == float("inf")


def test_an_order_edited_by_hand_that_makes_no_sense_is_no_order(tmp_path: Path) -> None:
    (tmp_path / "drills.jsonl").write_text(
        '{"id": 1, "fault": "slow", "step": 3}\n{"id": 2, "fault": "nan", "step": 3, "where": "save"}\n'
        '{"id": 3, "fault": "kill", "step": 3, "where": "save"}\n'
    )
    assert [order.id for order in read_orders(tmp_path)] == [3]

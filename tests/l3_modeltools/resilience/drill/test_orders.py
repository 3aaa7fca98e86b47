"""Orders are numbered, withdrawn and due as they say; what was carried out is noted for good."""

import itertools
from pathlib import Path

import msgspec
import pytest

from l0_infra.core.errors import DocumentError
from l3_modeltools.resilience.drill import (
    DRILL_KINDS,
    Fired,
    Order,
    append_order,
    is_due,
    note_fired,
    read_fired,
    read_orders,
    withdraw_order,
)
from l3_modeltools.resilience.drill.orders import LASTING, moment_of

KILL = Order(id=1, fault="kill", rank=1, step=10)


def due_steps(order: Order, *, rank: int = 1, fired_at: float | None = None, now: float = 0.0) -> list[int]:
    return [step for step in range(1, 21) if is_due(order, rank=rank, step=step, fired_at=fired_at, now=now)]


def test_what_happens_once_waits_for_no_missed_step_and_comes_once() -> None:
    assert due_steps(KILL) == list(range(10, 21))
    assert due_steps(KILL, fired_at=3.0) == []
    assert due_steps(KILL, rank=0) == []
    assert due_steps(msgspec.structs.replace(KILL, withdrawn=True)) == []


def test_an_order_for_no_rank_in_particular_is_for_all() -> None:
    everybody = msgspec.structs.replace(KILL, rank=None)
    assert due_steps(everybody, rank=0) == due_steps(everybody, rank=7) == list(range(10, 21))


def test_what_is_tied_to_a_step_comes_whenever_that_step_is_computed() -> None:
    always = Order(id=1, fault="nan", rank=1, step=10, often="always")
    assert due_steps(always) == due_steps(always, fired_at=1.0) == [10]
    slow = Order(id=1, fault="slow", rank=1, step=10, steps=3, seconds=0.1)
    assert due_steps(slow) == due_steps(slow, fired_at=1.0) == [10, 11, 12]


@pytest.mark.parametrize("fault", sorted(LASTING))
def test_what_lasts_ends_with_its_time_or_when_it_is_withdrawn(fault: str) -> None:
    order = Order(id=1, fault=fault, step=10, seconds=5.0)  # type: ignore[arg-type]
    whole = list(range(10, 21))
    assert due_steps(order, fired_at=100.0, now=104.9) == whole
    assert due_steps(order, fired_at=100.0, now=105.0) == (whole if fault == "disk_slow" else [])
    assert due_steps(msgspec.structs.replace(order, withdrawn=True), fired_at=100.0, now=101.0) == []


def test_every_kind_of_drill_makes_an_order_that_is_taken(tmp_path: Path) -> None:
    for kind in DRILL_KINDS.values():
        for moment in kind.moments:
            append_order(tmp_path, msgspec.structs.replace(kind.order, where=moment, seconds=1.0))
    read = read_orders(tmp_path)
    assert [order.id for order in read] == list(range(1, len(read) + 1))
    assert {moment_of(order) for order in read} == {"data", "forward", "save", "write"}


def test_the_last_line_of_a_number_counts_and_cut_lines_do_not(tmp_path: Path) -> None:
    first, second = (append_order(tmp_path, KILL) for _ in range(2))
    withdraw_order(tmp_path, first)
    with (tmp_path / "drills.jsonl").open("a") as file:
        file.write('{"id": 9, "fault": "ki')
    assert [(order.id, order.withdrawn) for order in read_orders(tmp_path)] == [(1, True), (second.id, False)]


@pytest.mark.parametrize(
    ("order", "path"),
    [
        (Order(id=1, fault="nan", step=1, where="save"), "where"),
        (Order(id=1, fault="slow", rank=0, step=1), "seconds"),
        (Order(id=1, fault="data_stall", rank=0, step=1), "seconds"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(order: Order, path: str, tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as refused:
        append_order(tmp_path, order)
    assert refused.value.faults[0].path == (path,)
    assert read_orders(tmp_path) == ()


def test_what_was_carried_out_is_read_in_order(tmp_path: Path) -> None:
    fired = [
        Fired(id=number, rank=rank, step=3, at=1.5) for number, rank in itertools.product((1, 2), (0, 1))
    ]
    for one in fired:
        note_fired(tmp_path, one)
    assert list(read_fired(tmp_path)) == fired

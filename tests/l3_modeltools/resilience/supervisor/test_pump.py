"""What ranks print arrives whole, line by line, and its end is remembered."""

import os
from collections.abc import Iterator

import pytest

from l3_modeltools.resilience.supervisor.pump import LONGEST, REMEMBERED, Pump


@pytest.fixture
def pipes() -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    made = os.pipe(), os.pipe()
    for read, _ in made:
        os.set_blocking(read, False)
    yield made
    for pair in made:
        for descriptor in pair:
            os.close(descriptor)


def test_lines_of_two_ranks_do_not_mix(pipes: tuple[tuple[int, int], tuple[int, int]]) -> None:
    written: list[bytes] = []
    pump = Pump([read for read, _ in pipes], written.append)
    os.write(pipes[0][1], b"one\ntw")
    os.write(pipes[1][1], b"other\n")
    pump.read(0)
    pump.read(1)
    os.write(pipes[0][1], b"o\n")
    pump.read(0)
    assert b"".join(written) == b"one\nother\ntwo\n"
    assert pump.last_lines(0) == ("one", "two")


def test_a_line_cut_off_by_an_end_is_told(pipes: tuple[tuple[int, int], tuple[int, int]]) -> None:
    written: list[bytes] = []
    pump = Pump([read for read, _ in pipes], written.append)
    os.write(pipes[0][1], b"Killed in the midd")
    pump.read(0)
    assert written == []
    pump.flush(0)
    assert written == [b"Killed in the midd\n"] and pump.last_lines(0) == ("Killed in the midd",)
    pump.forget()
    assert pump.last_lines(0) == ()


def test_memory_is_bounded(pipes: tuple[tuple[int, int], tuple[int, int]]) -> None:
    written: list[bytes] = []
    pump = Pump([read for read, _ in pipes], written.append)
    for number in range(2 * REMEMBERED):
        os.write(pipes[0][1], b"%d\n" % number)
        pump.read(0)
    os.write(pipes[0][1], b"x" * 3 * LONGEST)
    pump.read(0)
    lines = pump.last_lines(0)
    assert len(lines) == REMEMBERED and len(lines[-1]) == LONGEST
    assert b"".join(written).count(b"x") == 3 * LONGEST


def test_a_rank_that_prints_without_end_does_not_keep_the_pump() -> None:
    zeros = os.open("/dev/zero", os.O_RDONLY)
    written: list[bytes] = []
    try:
        Pump([zeros], written.append).read(0)
    finally:
        os.close(zeros)
    assert 65_536 <= sum(map(len, written)) < 2**22

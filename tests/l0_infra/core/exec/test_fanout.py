import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.errors import InterruptedByUser, RemoteError, UsageError
from l0_infra.core.exec import Answer, Command, LocalRunner, Result, ScriptedRunner, fan_out


@given(st.lists(st.integers(-5, 5), max_size=20), st.integers(1, 8))
def test_results_come_in_the_order_of_the_items(items: list[int], limit: int) -> None:
    def work(item: int) -> float:
        return 10 / item

    results = fan_out(items, work, limit=limit)
    assert [result.item for result in results] == items
    for result in results:
        assert result.ok is (result.item != 0)
        assert (
            isinstance(result.error, ZeroDivisionError)
            if result.item == 0
            else result.value == 10 / result.item
        )


def test_runners_can_be_the_items_or_made_from_them() -> None:
    names = [f"n{number}" for number in range(1000)]

    def work(name: str) -> str:
        return (
            ScriptedRunner(name)
            .answer(("hostname",), Answer(stdout=name))
            .run(Command(argv=("hostname",)))
            .stdout
        )

    assert [result.value for result in fan_out(names, work)] == names


def test_no_more_than_the_limit_run_at_once() -> None:
    lock, running, most = threading.Lock(), 0, 0

    def work(_: int) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.005)
        with lock:
            running -= 1

    before = threading.active_count()
    fan_out(range(60), work, limit=7)
    assert 1 < most <= 7
    assert threading.active_count() <= before + 7


def test_one_that_hangs_costs_the_others_nothing() -> None:
    never = threading.Event()

    def work(item: int) -> int:
        if item == 3:
            never.wait()
        return item

    results = fan_out(range(20), work, limit=2, deadline_s=0.3)
    assert [result.value for result in results if result.ok] == [n for n in range(20) if n != 3]
    assert isinstance(results[3].error, RemoteError)
    assert results[3].error.retry
    assert "no answer after 0.3 s" in str(results[3].error)
    never.set()


def test_progress_is_told_in_the_callers_thread() -> None:
    seen: list[tuple[int, int]] = []

    def done(result: Result[int, int]) -> None:
        seen.append((result.item, threading.get_ident()))

    fan_out(range(9), lambda item: item, on_done=done)
    assert sorted(seen) == [(item, threading.get_ident()) for item in range(9)]


def test_a_limit_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="limit=0"):
        fan_out([1], str, limit=0)


def test_a_deadline_ends_the_commands_inside(
    mark: str, processes_with: Callable[[str], list[int]], wait_until: Callable[..., None]
) -> None:
    ends: list[type[BaseException]] = []

    def work(item: int) -> None:
        try:
            LocalRunner().run(Command(argv=("sleep", f"{mark}{item}"), deadline_s=None))
        except InterruptedByUser as error:
            ends.append(type(error))
            raise

    results = fan_out(range(3), work, deadline_s=0.4)
    assert [type(result.error) for result in results] == [RemoteError] * 3
    wait_until(lambda: not processes_with(f"sleep\0{mark}"), "the commands went on")
    wait_until(lambda: len(ends) == 3, "the threads went on")


CTRL_C = """
import sys
from l0_infra.core.exec import Command, LocalRunner, fan_out

def work(item):
    LocalRunner().run(Command(argv=("sh", "-c", f"setsid sleep {sys.argv[1]}{item} & wait"), deadline_s=None))

print("begun", flush=True)
try:
    fan_out(range(8), work)
except KeyboardInterrupt:
    print("left", flush=True)
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_when_the_program_is_ended_so_are_its_commands(
    end: signal.Signals,
    mark: str,
    processes_with: Callable[[str], list[int]],
    wait_until: Callable[..., None],
) -> None:
    with subprocess.Popen([sys.executable, "-c", CTRL_C, mark], stdout=subprocess.PIPE, text=True) as program:
        wait_until(lambda: len(processes_with(f"sleep\0{mark}")) == 8, "the commands did not start")
        program.send_signal(end)
        said, _ = program.communicate(timeout=10)
    assert said == ("begun\nleft\n" if end == signal.SIGINT else "begun\n")
    assert program.returncode == (0 if end == signal.SIGINT else -signal.SIGKILL)
    wait_until(lambda: not processes_with(f"sleep\0{mark}"), "the commands went on")

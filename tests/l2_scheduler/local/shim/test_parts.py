"""The parts that can be told without a process: orders, sentences, and what a shim may import."""

import subprocess
import sys
from pathlib import Path

import pytest

from l2_scheduler.local.shim import engine_environment, is_engine, without_mark
from l2_scheduler.local.shim.control import parse_order
from l2_scheduler.local.shim.ending import Ending, signal_name


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("end CANCELLED by user root\n", ("CANCELLED", "by user root", False)),
        ("kill NODE_FAIL node3 is drained", ("NODE_FAIL", "node3 is drained", True)),
        ("end TIMEOUT", ("TIMEOUT", "", False)),
        ("end COMPLETED it is not over", None),
        ("END CANCELLED x", None),
        ("", None),
    ],
)
def test_orders(line, expected):
    order = parse_order(line)
    assert (order and (order.state, order.reason, order.at_once)) == expected


def test_first_cause_counts_and_later_ones_hasten():
    ending = Ending()
    ending.decide("CANCELLED", "by user root")
    ending.terminate(10.0)
    ending.kill(40.0)
    ending.decide("NODE_FAIL", "the machine is shutting down")
    ending.terminate(5.0)
    ending.kill(50.0)
    assert (ending.state, ending.terminate_at, ending.kill_at) == ("CANCELLED", 5.0, 40.0)
    ending.told()
    ending.terminate(6.0)
    assert ending.terminate_at == float("inf")


def test_signal_names():
    assert [signal_name(number) for number in (9, 40)] == ["SIGKILL", "SIG40"]


def test_engine_is_known_by_its_environment_only():
    marked = engine_environment({"A": "1"})
    assert is_engine("\0".join(f"{name}={value}" for name, value in marked.items()).encode())
    assert not is_engine(b"A=OGAI_ENGINE=1\0B=2")
    assert without_mark(marked) == {"A": "1"}


def test_shim_imports_nothing_slow_or_foreign():
    root = Path(__file__).parents[4]
    script = (
        f"import sys; sys.path.append({str(root)!r}); import l2_scheduler.local.shim.main\n"
        "print(*sys.modules)"
    )
    command = [sys.executable, "-I", "-S", "-c", script]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert loaded.isdisjoint(
        {"typing", "dataclasses", "pathlib", "subprocess", "logging", "asyncio", "inspect"}
    )
    own = {name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names} - {"__main__"}
    assert {name for name in own if not name.startswith("l2_scheduler.local.shim.")} == {
        "l2_scheduler",
        "l2_scheduler.local",
        "l2_scheduler.local.shim",
    }

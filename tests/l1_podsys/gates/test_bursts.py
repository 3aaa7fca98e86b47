"""Nodes are measured in turns, few at a time; who looks slow is measured more; and the program runs as it is sent."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

import pytest

from l0_infra.core.errors import OgaiError, RemoteError
from l0_infra.core.exec import Answer, Runner, ScriptedRunner
from l1_podsys.gates.bursts import Asked, measure_class
from l1_podsys.gates.record import GateRecord, load_record, save_record
from l1_podsys.gates.speed import Baseline

Value = TypeVar("Value")


class Hosts:
    """Scripted nodes with a speed each; remembers how many were at work at a time, and how often each."""

    def __init__(self, speeds: Mapping[str, float], *, silent: str = "") -> None:
        self.speeds = speeds
        self.silent = silent
        self.bursts = Counter[str]()
        self.widths: list[int] = []

    def reach(
        self,
        nodes: Sequence[str],
        work: Callable[[str, Runner], Value],
        *,
        limit_s: float,
        at_once: int = 64,
    ) -> Mapping[str, Value | OgaiError]:
        self.widths.append(at_once)
        return {name: self._one(name, work) for name in nodes}

    def _one(self, name: str, work: Callable[[str, Runner], Value]) -> Value | OgaiError:
        if name == self.silent:
            return RemoteError(name, found="no answer", expected="an answer")
        self.bursts[name] += 1
        told = {"cpu": self.speeds[name] * (1 - 0.001 * (self.bursts[name] % 3)), "held cpu": 0.9, "cpus": 2}
        runner = ScriptedRunner(name).answer(lambda _: True, Answer(stdout=json.dumps(told)))
        return work(name, runner)


def measure(hosts: Hosts) -> Mapping[str, float]:
    measured = measure_class(
        list(hosts.speeds), Asked(words=("cpu",)), hosts.reach, lambda _: Baseline(), seed=1
    )
    return {one.node: one.best for one in measured.speeds["cpu"] if one.rounds}


def test_equal_nodes_are_measured_five_times_one_at_a_time() -> None:
    hosts = Hosts(dict.fromkeys("abcd", 100.0))
    assert set(measure(hosts)) == set("abcd")
    assert set(hosts.bursts.values()) == {5} and set(hosts.widths) == {1}


def test_many_nodes_are_measured_in_eighths() -> None:
    hosts = Hosts({f"n{index}": 100.0 for index in range(40)})
    measure(hosts)
    assert set(hosts.widths) == {5}


def test_who_looks_slow_is_measured_more_with_some_who_do_not() -> None:
    hosts = Hosts({**{f"n{index}": 100.0 for index in range(12)}, "slow": 85.0})
    measure(hosts)
    assert hosts.bursts["slow"] == 20
    assert 5 < sum(hosts.bursts.values()) / 13 < 12


def test_who_is_plainly_slow_needs_no_more_than_ten() -> None:
    hosts = Hosts({**{f"n{index}": 100.0 for index in range(4)}, "slow": 30.0})
    measure(hosts)
    assert hosts.bursts["slow"] == 10


def test_who_does_not_answer_holds_nobody_back() -> None:
    assert set(measure(Hosts(dict.fromkeys("abcd", 100.0), silent="c"))) == set("abd")


def test_the_program_runs_alone_on_any_python(tmp_path: Path) -> None:
    text = files("l1_podsys.gates").joinpath("on_node.py").read_bytes()
    words = ["seconds=0.05", "cpu", "memory", f"storage={tmp_path}", "storage=/nowhere"]
    done = subprocess.run([sys.executable, "-I", "-", *words], input=text, capture_output=True, check=True)
    told = json.loads(done.stdout)
    assert told["cpu"] > 0 and told["memory"] > 0 and told[f"write {tmp_path}"] > 0
    assert "FileNotFoundError" in told["error-storage=/nowhere"]
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_kept_whole(tmp_path: Path) -> None:
    path = tmp_path / "pod" / "gates.json"
    assert load_record(path) == GateRecord()
    record = GateRecord().with_baseline("gpu", "cpu", Baseline(runs=(1.0, 2.0))).with_given_back(["a"], 7.0)
    save_record(path, record)
    assert load_record(path) == record
    assert load_record(path).baseline("gpu", "cpu").runs == (1.0, 2.0)
    path.write_text("{")
    with pytest.raises(OgaiError, match="earlier checks"):
        load_record(path)

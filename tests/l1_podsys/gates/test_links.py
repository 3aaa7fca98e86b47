"""Pairs tell whose link is slow, each node with several others; and the program runs as it is sent."""

import json
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from itertools import combinations
from typing import TypeVar

import pytest

from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Answer, Command, Runner, ScriptedRunner
from l1_podsys.gates import members_of
from l1_podsys.gates.links import NETWORK, measure_links, pair_rounds
from l1_podsys.gates.medium import judge_speeds
from l1_podsys.gates.speed import Baseline
from l1_podsys.gates.view import NodeView
from l1_podsys.schemas import Cluster, NodeGroup

Value = TypeVar("Value")


class Wires:
    """Scripted nodes with a link each; a pair is as fast as the slower one."""

    def __init__(self, links: Mapping[str, float], *, garbled: str = "") -> None:
        self.links = links
        self.garbled = garbled
        self.pairs = Counter[frozenset[str]]()
        self.widths = list[int]()

    def reach(
        self, nodes: Sequence[str], work: Callable[[str, Runner], Value], *, limit_s: float, at_once: int = 64
    ) -> Mapping[str, Value | OgaiError]:
        self.widths.append(at_once)
        asked: dict[str, str] = {}
        told = {name: self._one(name, work, asked) for name in nodes}
        for port in set(asked.values()):
            pair = frozenset(name for name, one in asked.items() if one == port)
            assert len(pair) == 2
            self.pairs[pair] += 1
        for name in nodes:  # now that it is known who is whose partner
            told[name] = self._one(name, work, asked)
        return told

    def _one(
        self, name: str, work: Callable[[str, Runner], Value], asked: dict[str, str]
    ) -> Value | OgaiError:
        def answer(command: Command) -> Answer:
            words = dict(str(word).split("=", 1) for word in command.argv if "=" in str(word)[:9])
            asked[name] = words["port"]
            pair = [one for one, port in asked.items() if port == words["port"]]
            speed = min(self.links[one] for one in pair)
            if name == self.garbled:
                return Answer(stdout="Connection to node closed")
            return Answer(stdout=json.dumps({"in": [speed, speed * 0.98, speed * 0.97]}))

        try:
            return work(name, ScriptedRunner(name).answer(lambda _: True, answer))
        except OgaiError as error:
            return error


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cluster_of(names: Sequence[str]) -> tuple[Cluster, list[NodeView]]:
    cluster = Cluster(
        name="pod",
        nodes=(
            NodeGroup(names=names[0], roles=("head", "compute")),
            *(NodeGroup(names=name, roles=("compute",)) for name in names[1:]),
        ),
    )
    return cluster, [NodeView(member=member) for member in members_of(cluster)]


def severities(wires: Wires) -> dict[str, str]:
    cluster, views = cluster_of(list(wires.links))
    measured = measure_links(cluster, views, [], wires.reach, Baseline(), seed=1)
    return {one.node: one.severity for one in judge_speeds(NETWORK, measured.speeds[NETWORK], Baseline())}


@pytest.mark.parametrize("count", range(2, 12))
def test_each_has_another_partner_in_each_round(count: int) -> None:
    names = [f"n{index}" for index in range(count)]
    rounds = list(pair_rounds(names, 100))
    assert sorted(map(frozenset, (pair for pairs in rounds for pair in pairs)), key=sorted) == sorted(
        map(frozenset, combinations(names, 2)), key=sorted
    )
    for pairs in rounds:
        assert len({name for pair in pairs for name in pair}) == 2 * len(pairs) >= count - 1


@pytest.mark.parametrize("count", [3, 4, 5, 9, 40])
def test_the_one_whose_link_is_slow_is_named_and_no_partner_of_it(count: int) -> None:
    links = {f"n{index}": 1e9 for index in range(count - 1)} | {"slow": 1.2e5}
    assert severities(Wires(links)) == dict.fromkeys(links, "ok") | {"slow": "critical"}


def test_links_that_are_alike_are_well() -> None:
    assert set(severities(Wires({f"n{index}": 1e9 + index for index in range(7)})).values()) == {"ok"}


def test_two_nodes_of_a_class_are_told_apart_by_the_controller() -> None:
    cluster, views = cluster_of(["head", "a", "b"])
    wires = Wires({"head": 1e9, "a": 1e9, "b": 1e5})
    measured = measure_links(cluster, views[1:], views[:1], wires.reach, Baseline(), seed=1)
    assert {one.node: one.best for one in measured.speeds[NETWORK]} == {"a": 1e9, "b": 1e5}


def test_few_pairs_are_at_work_at_a_time() -> None:
    wires = Wires({f"n{index}": 1e9 for index in range(600)})
    severities(wires)
    assert max(wires.widths) == 64
    assert len(wires.pairs) == 900
    alone = Wires({f"n{index}": 1e9 for index in range(5)})
    severities(alone)
    assert max(alone.widths) == 2


def test_of_a_node_that_prints_garbage_nothing_is_known_and_the_others_are_measured() -> None:
    cluster, views = cluster_of(["a", "b", "c"])
    wires = Wires(dict.fromkeys("abc", 1e9), garbled="c")
    measured = measure_links(cluster, views, [], wires.reach, Baseline(), seed=1)
    assert {one.node: bool(one.rounds) for one in measured.speeds[NETWORK]} == {
        "a": True,
        "b": True,
        "c": False,
    }
    assert "'Connection to node closed'" in measured.errors["c"]


def test_two_processes_measure_what_is_between_them(free_port: int) -> None:
    text = files("l1_podsys.gates").joinpath("on_node_link.py").read_bytes()
    shared = ["address=127.0.0.1", f"port={free_port}", "token=0123456789abcdef", "bursts=2", "limit=20"]
    ends = [
        subprocess.Popen(
            [sys.executable, "-I", "-", f"end={end}", *shared],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for end in ("call", "listen")
    ]
    for end in ends:
        assert end.stdin is not None
        end.stdin.write(text)
        end.stdin.close()
    told = [json.loads(end.stdout.read()) for end in ends if end.stdout is not None]
    for end in ends:
        assert end.stdout is not None
        end.stdout.close()
        assert end.wait() == 0
    assert [len(one["in"]) for one in told] == [2, 2]
    assert all(rate > 0 for one in told for rate in one["in"])


def test_nobody_there_is_told(free_port: int) -> None:
    text = files("l1_podsys.gates").joinpath("on_node_link.py").read_bytes()
    words = ["end=call", "address=127.0.0.1", f"port={free_port}", "token=x", "bursts=1", "limit=0"]
    done = subprocess.run([sys.executable, "-I", "-", *words], input=text, capture_output=True, check=True)
    assert "ConnectionRefusedError" in json.loads(done.stdout)["error"]

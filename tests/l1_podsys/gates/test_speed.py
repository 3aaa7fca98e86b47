"""Stragglers on thousands of made-up clusters: none is named where none is, one is named where one is."""

from random import Random

import pytest

from l1_podsys.gates.medium import judge_speeds
from l1_podsys.gates.speed import Baseline, Speeds, class_slowness, compare_speeds, find_suspects

CLUSTERS = 1000
ROUNDS = 5
STAGES = 4


class World:
    """Nodes with true speeds, on machines that are quiet, or busy with other work that only ever slows."""

    def __init__(self, seed: int, kind: str) -> None:
        self.lot = Random(seed)
        self.kind = kind

    def burst(self, speed: float) -> float:
        lot = self.lot
        quiet = 1 - abs(lot.gauss(0, 0.004))
        if self.kind == "quiet":
            return speed * quiet
        if self.kind == "half":
            return speed * (quiet if lot.random() < 0.5 else lot.uniform(0.3, 1))
        return speed * lot.uniform(0.4 if self.kind == "busy" else 0.1, 1)

    def named(self, count: int, slow: float | None = None) -> set[str]:
        """Measure as the check does, and return who is named; node 0 is the slow one."""
        true = [1 + self.lot.gauss(0, 0.01) for _ in range(count)]
        true[0] = slow or true[0]
        rounds = {index: [self.burst(true[index]) for _ in range(ROUNDS)] for index in range(count)}
        for _ in range(STAGES - 1):
            suspects = {int(node) for node in find_suspects(speeds(rounds), Baseline(), settled_at=10)}
            if not suspects:
                break
            others = [index for index in rounds if index not in suspects]
            for index in (*suspects, *self.lot.sample(others, min(4, len(others)))):
                rounds[index] += [self.burst(true[index]) for _ in range(ROUNDS)]
        found = compare_speeds(speeds(rounds), Baseline())
        return {node for node, slowness in found.items() if slowness.slow}


def speeds(rounds: dict[int, list[float]]) -> list[Speeds]:
    return [Speeds(node=str(index), rounds=tuple(values)) for index, values in rounds.items()]


@pytest.mark.parametrize("kind", ["quiet", "half", "busy", "drowning"])
@pytest.mark.parametrize("count", [3, 4, 16])
def test_false_names_are_rarer_than_one_cluster_in_a_hundred(kind: str, count: int) -> None:
    world = World(7, kind)
    wrong = sum(bool(world.named(count)) for _ in range(CLUSTERS))
    assert wrong <= (0 if kind == "quiet" else CLUSTERS // 100)


@pytest.mark.parametrize(
    ("kind", "slow", "least"),
    [
        ("quiet", 0.3, 1.0),
        ("quiet", 0.85, 0.85),
        ("half", 0.3, 0.99),
        ("half", 0.6, 0.95),
        ("busy", 0.3, 0.9),
        ("drowning", 0.1, 0.99),
    ],
)
@pytest.mark.parametrize("count", [3, 4, 16])
def test_a_slow_node_is_named_and_no_other(kind: str, slow: float, least: float, count: int) -> None:
    world = World(8, kind)
    found = [world.named(count, slow) for _ in range(CLUSTERS // 5)]
    assert sum("0" in names for names in found) >= least * len(found)
    assert sum(bool(names - {"0"}) for names in found) <= len(found) // 100


def flat(node: str, speed: float) -> Speeds:
    return Speeds(node=node, rounds=(speed, speed * 0.999, speed * 0.998))


def test_of_two_nodes_nobody_is_named_without_a_baseline_and_the_verdict_says_so() -> None:
    pair = [flat("a1", 100e6), flat("a2", 30e6)]
    assert compare_speeds(pair, Baseline()) == {}
    verdicts = list(judge_speeds("cpu", pair, Baseline()))
    assert [(one.node, one.severity) for one in verdicts] == [("a1", "unknown"), ("a2", "unknown")]
    assert "too few to compare; a1 has 3.33 times that" in verdicts[1].found


def test_two_nodes_that_agree_are_well() -> None:
    verdicts = list(judge_speeds("cpu", [flat("a1", 100e6), flat("a2", 98e6)], Baseline()))
    assert [one.severity for one in verdicts] == ["ok", "ok"]


def test_one_node_alone_is_not_known_until_there_is_a_clean_run() -> None:
    alone = [flat("a1", 100e6)]
    assert [one.severity for one in judge_speeds("cpu", alone, Baseline())] == ["unknown"]
    assert [one.severity for one in judge_speeds("cpu", alone, Baseline().with_run(alone))] == ["ok"]


def test_of_two_nodes_the_baseline_tells_which_is_slow() -> None:
    baseline = Baseline(runs=(99e6, 100e6, 101e6))
    verdicts = list(judge_speeds("cpu", [flat("a1", 100e6), flat("a2", 30e6)], baseline, {"a2": 0.31}))
    assert [(one.node, one.severity) for one in verdicts] == [("a1", "ok"), ("a2", "critical")]
    assert "31% of the time" in verdicts[1].found and "quota" in verdicts[1].hint


def test_a_class_that_is_slower_than_itself_before_is_told_as_a_class() -> None:
    baseline = Baseline(runs=(99e6, 100e6, 101e6))
    whole = [flat(f"a{index}", 50e6) for index in range(4)]
    assert class_slowness(whole, baseline) is not None
    verdicts = list(judge_speeds("cpu", whole, baseline))
    assert {(one.check, one.severity) for one in verdicts} == {
        ("cpu.speed", "ok"),
        ("cpu.speed-class", "warning"),
    }


def test_a_difference_that_is_no_matter_of_life_is_a_warning() -> None:
    nodes = [flat("a1", 100), flat("a2", 100.2), flat("a3", 99.8), flat("a4", 88)]
    assert [one.severity for one in judge_speeds("matrix", nodes, Baseline())] == [
        "ok",
        "ok",
        "ok",
        "warning",
    ]


def test_a_baseline_keeps_its_latest_runs() -> None:
    baseline = Baseline()
    for run in range(60):
        baseline = baseline.with_run([flat("a1", 100 + run)])
    assert (len(baseline.runs), baseline.runs[-1]) == (50, 159)


def test_where_other_work_had_the_processors_nobody_can_be_told_slow_or_well() -> None:
    nodes = [Speeds(node=f"a{index}", rounds=(4.0, 3.0, 2.4, 2.3, 1.5)) for index in range(3)]
    busy = {f"a{index}": 0.1 for index in range(3)}
    verdicts = list(judge_speeds("cpu", nodes, Baseline(), busy))
    assert {one.severity for one in verdicts} == {"unknown"} and "10% of the processors" in verdicts[0].found
    assert {
        one.severity for one in judge_speeds("cpu", nodes, Baseline(), busy | {"a1": 0.5, "a2": 0.5})
    } == {"ok"}

"""Sums over nodes: who is to blame when they fail; and the program itself, run by processes of this machine."""

import json
import socket
import subprocess
import sys
from importlib.resources import files

import pytest

from l1_podsys.gates.collective import Sum, judge_sums

RING = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
FAILED = Sum(told=dict.fromkeys("abcd", "timed out"))


def pairs(bad: str) -> list[Sum]:
    return [Sum(told=dict.fromkeys(pair, "timed out" if bad in pair else 1e9)) for pair in RING]


def severities(whole: Sum, tried: list[Sum]) -> dict[str, str]:
    return {one.node: one.severity for one in judge_sums(whole, tried)}


def test_a_right_sum_is_told_with_its_speed() -> None:
    verdicts = list(judge_sums(Sum(told={"a": 2e9, "b": 1e9}), []))
    assert {(one.node, one.check, one.severity) for one in verdicts} == {
        (node, check, "ok") for node in "ab" for check in ("collective.all-reduce", "collective.correct")
    }
    assert "(torch), 1.86 GiB/s" in verdicts[0].found


def test_the_one_whose_pairs_all_fail_is_to_blame() -> None:
    assert severities(FAILED, pairs("c")) == {"a": "ok", "b": "ok", "c": "critical", "d": "ok"}


def test_without_one_to_blame_all_are_told() -> None:
    assert set(severities(FAILED, [Sum(told=dict.fromkeys(p, "x")) for p in RING]).values()) == {"critical"}
    assert set(severities(FAILED, [Sum(told=dict.fromkeys(p, 1e9)) for p in RING]).values()) == {"critical"}


def test_without_torch_it_is_not_known() -> None:
    missing = "ModuleNotFoundError: No module named 'torch'"
    assert severities(Sum(told={"a": missing, "b": missing}), []) == {"a": "unknown", "b": "unknown"}


def test_two_processes_sum_rightly() -> None:
    pytest.importorskip("torch", reason="needs torch")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    text = files("l1_podsys.gates").joinpath("on_node_sum.py").read_bytes()
    words = [
        "nodes=2",
        "local=1",
        "backend=gloo",
        "address=127.0.0.1",
        f"port={port}",
        "limit=60",
        "interface=",
    ]
    started = [
        subprocess.Popen(
            [sys.executable, "-I", "-", f"node={node}", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for node in range(2)
    ]
    for one in started:
        assert one.stdin is not None
        one.stdin.write(text)
        one.stdin.close()
    told = []
    for one in started:
        assert one.stdout is not None
        told.append(json.loads(one.stdout.read()))
        one.stdout.close()
        assert one.wait() == 0
    assert all(one["bytes_per_s"] > 0 for one in told), told

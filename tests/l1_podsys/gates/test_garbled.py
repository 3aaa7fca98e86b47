"""Whatever a node or a controller prints, it is judged and never a crash."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from hypothesis import example, given
from hypothesis import strategies as st

from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Answer, Runner, ScriptedRunner
from l1_podsys.gates import GateRecord, Reach, judge_quick, measure_cluster
from l1_podsys.gates.look import Question, look_command, parse_look
from l1_podsys.slurm import parse_drain, parse_nodes_text
from tests.l1_podsys.gates.scenes import CLUSTER, scene, with_view

Value = TypeVar("Value")

SECTIONS = [
    *(
        "mounts",
        "blocks",
        "inodes",
        "write",
        "mesh",
        "failed",
        "munge",
        "end",
        "storage /shared",
        "name head",
    ),
    *("service slurmd", "route 10.5.0.1", "route 10.6.0.1"),
]
WORDS = st.sampled_from(
    ["ok", "bad", "token", "failed", "dev", "/", "99%", "x", "STATUS:", "!missing", "[", "]", "é"]
)
LINES = st.lists(WORDS, max_size=6).map(" ".join)
TEXTS = st.lists(
    st.tuples(st.sampled_from(SECTIONS), st.lists(LINES, max_size=3)).map(
        lambda pair: "\n".join([f"== {pair[0]}", *pair[1]])
    ),
    max_size=10,
).map("\n".join)


@given(TEXTS)
@example("== write\nok")
@example("== storage /shared\nfailed")
@example("== route 10.6.0.1\ndev")
def test_any_look_is_judged(text: str) -> None:
    verdicts = judge_quick(CLUSTER, with_view(scene(), "c2", look=parse_look(text)))
    assert {"c2", "c1", "head"} <= {one.node for one in verdicts}
    assert all(one.found for one in verdicts)


@given(st.text())
def test_any_text_is_a_look(text: str) -> None:
    judge_quick(CLUSTER, with_view(scene(), "c2", look=parse_look(text)))


FIELDS = [
    "NodeName=c2",
    "State=IDLE+DRAIN",
    "Reason=x [",
    "Reason=y [root@2026-12-01T00:00:00]",
    "CPUTot=",
    "Gres=gpu",
]


@given(st.lists(st.sampled_from(FIELDS) | st.text(max_size=8), max_size=8).map(" ".join))
def test_any_text_of_the_scheduler_is_judged(text: str) -> None:
    for node in parse_nodes_text(text):
        parse_drain(node.reason, node.reason_by)
    judge_quick(CLUSTER, replace(scene(), slurm=parse_nodes_text(text)))


def reach_saying(said: Mapping[str, str]) -> Reach:
    """Nodes that answer whatever they are asked with one text each."""

    def reach(
        nodes: Sequence[str], work: Callable[[str, Runner], Value], *, limit_s: float, at_once: int = 64
    ) -> Mapping[str, Value | OgaiError]:
        found: dict[str, Value | OgaiError] = {}
        for name in nodes:
            try:
                found[name] = work(
                    name, ScriptedRunner(name).answer(lambda _: True, Answer(stdout=said[name]))
                )
            except OgaiError as error:
                found[name] = error
        return found

    return reach


GARBAGE = [
    "",
    "\n",
    "Segmentation fault",
    "{",
    "[]",
    '"x"',
    "null",
    '{"cpu": "fast"}',
    '{"cpu": -1}',
]
GARBAGE += [
    '{"cpu": true}',
    '{"cpu": 1e999}',
    '{"cpu": []}',
    '{"bytes_per_s": 0}',
    '{"error": 5}',
    '{"foo": 1}',
]


@given(st.sampled_from(GARBAGE) | st.text(max_size=40))
def test_whatever_a_node_prints_when_it_is_measured_is_unknown(said: str) -> None:
    names = [view.name for view in scene().views if "compute" in view.member.roles]
    well = json.dumps({"cpu": 1e9, "memory": 1e9, "bytes_per_s": 1e9})
    reach = reach_saying({**dict.fromkeys((view.name for view in scene().views), well), "c2": said})
    measured = measure_cluster(CLUSTER, scene(), reach, GateRecord(), seed=1)
    found = {(one.check, one.severity): one.found for one in measured.verdicts if one.node == "c2"}
    assert "c2" in names
    assert ("cpu.speed", "unknown") in found and ("collective.all-reduce", "unknown") in found


def test_what_was_printed_is_told() -> None:
    reach = reach_saying({view.name: "Killed by the out-of-memory killer" for view in scene().views})
    measured = measure_cluster(CLUSTER, scene(), reach, GateRecord(), seed=1)
    assert {one.severity for one in measured.verdicts} == {"unknown"}
    assert all("Killed by the out-of-memory killer" in one.found for one in measured.verdicts)


def test_what_is_sent_to_a_node_is_quoted_and_holds_no_other_nodes() -> None:
    command = look_command(
        Question(token="t", storages=("/a b; rm -rf /",), names=("x",), credential="MUNGE:'$(id)':"),
        sudo=True,
    )
    assert command.sudo and command.stdin is not None and "MUNGE" not in str(command)
    text = command.stdin.decode()
    assert "storages='/a b; rm -rf /'" in text and "$(id)" in text.split("\n# ")[0]

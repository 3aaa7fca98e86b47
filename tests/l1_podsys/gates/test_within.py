"""Collectives within nodes and across them, on scripted nodes with accelerators: who is named, and for what."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec
import pytest

from l0_infra import load_devices
from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Answer, Command, Runner, ScriptedRunner
from l0_infra.schemas import Accelerator, NodeFacts, Topology
from l1_podsys.gates import GateRecord, Scene, measure_cluster
from l1_podsys.gates.across import Across, across_argv
from l1_podsys.gates.within import expected_bus
from l1_podsys.schemas import Verdict
from tests.l1_podsys.gates.scenes import CLUSTER, scene, with_view

Value = TypeVar("Value")

SHEETS = load_devices()
NODES = ("c1", "c2", "c3", "c4")
HEAD = "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"
LINKED = 450.0
"""GB/s that NVLink of one H100 SXM carries one way, by its data sheet."""


def table(bus: float, *, wrong: int = 0) -> str:
    rows = [
        f"  {size}  {size // 4}  float  sum  -1  100.0  {bus / 1.75:.2f}  {rate:.2f}  {wrong}"
        f"  100.0  {bus / 1.75:.2f}  {rate:.2f}  0\n"
        for size, rate in ((2**29, bus * 0.99), (2**30, bus))
    ]
    return f"{HEAD}{''.join(rows)}# Out of bounds values : {min(wrong, 1)} OK\n# Avg bus bandwidth    : {bus / 3} \n"


def within(output: str, *, mpi: str = "", launcher: str = "", code: int = 0) -> str:
    head = "== program /usr/local/bin/all_reduce_perf\n"
    head += f"== mpi {mpi}\n" if mpi else ""
    head += f"== launcher {launcher}\n" if launcher else ""
    return f"{head}== output\n{output}\n== exit {code}\n"


def across(output: str, code: int = 0) -> str:
    return f"== output\n{output}\n== exit {code}\n"


@dataclass
class Pod:
    """Nodes that answer collective.sh each with its own text; what is asked across nodes is kept."""

    alone: Mapping[str, str]
    over: Callable[[tuple[str, ...]], str] = lambda _: across("", 1)
    started: list[tuple[str, ...]] = field(default_factory=list)

    def reach(
        self, nodes: Sequence[str], work: Callable[[str, Runner], Value], *, limit_s: float, at_once: int = 64
    ) -> Mapping[str, Value | OgaiError]:
        found: dict[str, Value | OgaiError] = {}
        for name in nodes:
            runner = ScriptedRunner(name).answer(lambda _: True, self._answer(name))
            try:
                found[name] = work(name, runner)
            except OgaiError as error:
                found[name] = error
        return found

    def _answer(self, name: str) -> Callable[[Command], Answer]:
        def answer(command: Command) -> Answer:
            if b"collective.sh" not in (command.stdin or b""):
                return Answer(
                    stdout=json.dumps({"cpu": 1e9, "memory": 1e9, "matrix": 1e9, "bytes_per_s": 1e9})
                )
            if command.argv[3] != "-":
                return Answer(stdout=self.alone[name])
            self.started.append(command.argv[4:])
            return Answer(stdout=self.over(command.argv[4:]))

        return answer


def eight(device: str = "h100-sxm-80", *, vendor: str = "nvidia") -> dict[str, object]:
    accelerators = tuple(
        msgspec.convert(
            {"id": f"{vendor}:{index}", "vendor": vendor, "index": index, "device": device}, Accelerator
        )
        for index in range(8)
    )
    return {
        "accelerators": accelerators,
        "topology": Topology(groups=(tuple(one.id for one in accelerators),)),
    }


def pod_scene(**changes: object) -> Scene:
    found = scene()
    for name in NODES:
        (view,) = [one for one in found.views if one.name == name]
        assert view.facts is not None
        found = with_view(found, name, facts=msgspec.structs.replace(view.facts, **{**eight(), **changes}))
    return found


def measured(
    pod: Pod, record: GateRecord | None = None, **changes: object
) -> tuple[list[Verdict], GateRecord]:
    whole = measure_cluster(
        CLUSTER, pod_scene(**changes), pod.reach, record or GateRecord(), seed=1, sheets=SHEETS
    )
    return [one for one in whole.verdicts if one.check.startswith("collective")], whole.record


def told(verdicts: Sequence[Verdict], check: str) -> dict[str, str]:
    return {one.node: one.severity for one in verdicts if one.check == check}


def test_a_pod_that_is_well_is_compared_and_becomes_a_baseline() -> None:
    pod = Pod(alone=dict.fromkeys(NODES, within(table(370.0))))
    verdicts, record = measured(pod)
    for check in ("collective.within", "collective.correct", "collective.speed", "collective.links"):
        assert told(verdicts, check) == dict.fromkeys(NODES, "ok"), check
    assert record.baseline("default", "collective").runs == (370e9,)
    (links,) = {one.found for one in verdicts if one.check == "collective.links"}
    assert links == "345 GiB/s on the bus, 82% of what nvlink carries"


def test_the_slow_one_is_named_against_its_class() -> None:
    pod = Pod(alone={**dict.fromkeys(NODES, within(table(370.0))), "c3": within(table(240.0))})
    verdicts, record = measured(pod)
    assert told(verdicts, "collective.speed") == {"c1": "ok", "c2": "ok", "c3": "critical", "c4": "ok"}
    assert record.baseline("default", "collective").runs == ()


def test_a_class_slower_than_its_earlier_runs_is_told_as_a_whole() -> None:
    pod = Pod(alone=dict.fromkeys(NODES, within(table(240.0))))
    record = GateRecord(baselines={"default": {"collective": (370e9, 371e9, 369e9)}})
    verdicts, after = measured(pod, record)
    assert told(verdicts, "collective.speed-class") == dict.fromkeys(NODES, "warning")
    assert after.baseline("default", "collective").runs == (370e9, 371e9, 369e9)


def test_wrong_values_have_a_code_of_their_own_and_no_speed() -> None:
    pod = Pod(
        alone={**dict.fromkeys(NODES, within(table(370.0))), "c2": within(table(400.0, wrong=3), code=7)}
    )
    verdicts, _ = measured(pod)
    assert told(verdicts, "collective.correct")["c2"] == "critical"
    assert "c2" not in told(verdicts, "collective.speed")
    (bad,) = [one for one in verdicts if one.severity == "critical"]
    assert bad.expected == "no wrong value" and bad.hint


def test_a_failure_is_told_in_its_own_words() -> None:
    failure = (
        f"{HEAD}c4: Test NCCL failure common.cu:1009 'remote process exited or there was a network error / '"
    )
    pod = Pod(alone={**dict.fromkeys(NODES, within(table(370.0))), "c4": within(failure, code=3)})
    verdicts, _ = measured(pod)
    (bad,) = [one for one in verdicts if one.severity == "critical"]
    assert (bad.node, bad.check) == ("c4", "collective.within") and "Test NCCL failure" in bad.found


@pytest.mark.parametrize(
    ("bus", "severity"), [(0.5, "ok"), (0.49, "warning"), (0.21, "warning"), (0.19, "critical")]
)
def test_links_that_are_not_used_are_noticed(bus: float, severity: str) -> None:
    pod = Pod(alone=dict.fromkeys(NODES, within(table(LINKED * bus + 0.01))))
    assert set(told(measured(pod)[0], "collective.links").values()) == {severity}


def test_nodes_without_the_program_and_with_partitions_have_no_verdict_of_it() -> None:
    verdicts, _ = measured(Pod(alone=dict.fromkeys(NODES, "== none\n")))
    assert {one.check for one in verdicts} == {"collective.all-reduce", "collective.correct"}
    cut = tuple(
        msgspec.convert({**msgspec.to_builtins(one), "partitioning": {"enabled": True}}, Accelerator)
        for one in eight()["accelerators"]  # type: ignore[attr-defined]  # accelerators, as made above
    )
    pod = Pod(alone=dict.fromkeys(NODES, "never asked"))
    assert not told(measured(pod, accelerators=cut)[0], "collective.within")


def test_an_answer_that_is_none_is_unknown() -> None:
    pod = Pod(alone={**dict.fromkeys(NODES, within(table(370.0))), "c1": "sh: 1: Syntax error"})
    verdicts, _ = measured(pod)
    assert told(verdicts, "collective.within")["c1"] == "unknown"


def mpi_pod(over: Callable[[tuple[str, ...]], str], launcher: str = "srun") -> Pod:
    text = within(table(370.0), mpi="/opt/nccl-tests/build/all_reduce_perf_mpi", launcher=launcher)
    return Pod(alone=dict.fromkeys(NODES, text), over=over)


def test_sums_across_nodes_go_by_the_vendors_program_where_it_can_run() -> None:
    pod = mpi_pod(lambda _: across(table(190.0)))
    verdicts, record = measured(pod)
    found = {one.found for one in verdicts if one.check == "collective.all-reduce"}
    assert found == {"a right sum of 4 nodes (all_reduce_perf_mpi, srun), 177 GiB/s on the bus"}
    assert record.baseline("default", "all-reduce").runs == (190e9,)
    (started,) = pod.started
    assert (
        "--nodelist=c[1-4]" in started and "--ntasks=32" in started and "NCCL_SOCKET_IFNAME=eth1" in started
    )


def test_a_class_that_sums_slower_than_before_is_told_and_makes_no_baseline() -> None:
    usual = GateRecord(baselines={"default": {"all-reduce": (190e9, 191e9, 189e9)}})
    verdicts, record = measured(mpi_pod(lambda _: across(table(90.0))), usual)
    assert told(verdicts, "collective.all-reduce-class") == dict.fromkeys(NODES, "warning")
    assert record.baseline("default", "all-reduce").runs == (190e9, 191e9, 189e9)


@pytest.mark.parametrize(
    ("bad", "check"),
    [
        (across(table(190.0, wrong=5), 7), "collective.correct"),
        (across(f"{HEAD}c3: Test NCCL failure common.cu:1009 'x'", 3), "collective.all-reduce"),
    ],
    ids=["wrong", "failed"],
)
def test_pairs_show_who_is_to_blame(bad: str, check: str) -> None:
    def over(argv: tuple[str, ...]) -> str:
        (nodes,) = [word for word in argv if word.startswith("--nodelist=")]
        return across(table(190.0)) if nodes in ("--nodelist=c[1-2]", "--nodelist=c[1,4]") else bad

    pod = mpi_pod(over)
    verdicts, _ = measured(pod)
    assert [one.node for one in verdicts if one.severity == "critical"] == ["c3"]
    assert told(verdicts, check)["c3"] == "critical" and len(pod.started) == 5


def test_a_launcher_that_does_not_start_it_is_told_and_torch_is_used() -> None:
    pod = mpi_pod(lambda _: across("srun: error: Unable to allocate resources: Requested nodes are busy", 1))
    verdicts, record = measured(pod)
    assert told(verdicts, "collective.all-reduce") == dict.fromkeys(NODES, "ok")
    (warned,) = [one for one in verdicts if one.severity == "warning"]
    assert warned.check == "collective.all-reduce-start" and "Requested nodes are busy" in warned.found
    assert record.baseline("default", "all-reduce").runs == () and len(pod.started) == 1


def test_without_mpi_or_launcher_on_every_node_torch_is_used() -> None:
    no_launcher = within(table(370.0), mpi="/x/all_reduce_perf_mpi")
    without = {
        **dict.fromkeys(NODES, no_launcher.replace("== output", "== launcher srun\n== output")),
        "c2": within(table(370.0)),
    }
    for alone in (dict.fromkeys(NODES, no_launcher), without):
        pod = Pod(alone=alone)
        verdicts, _ = measured(pod)
        assert not pod.started and all(
            "(torch)" in one.found for one in verdicts if one.check.endswith("reduce")
        )


@pytest.mark.parametrize(
    ("launcher", "vendor", "line"),
    [
        (
            "openmpi",
            "nvidia",
            "mpirun -np 4 --host a:2,b:2 --bind-to none --mca plm_rsh_args"
            " -o BatchMode=yes -o ConnectTimeout=10 -x PATH -x LD_LIBRARY_PATH -x NCCL_DEBUG"
            " -x NCCL_SOCKET_IFNAME=ib0 -x HCCL_SOCKET_IFNAME=ib0 P -b 8 -e 1G -f 2 -g 1",
        ),
        (
            "hydra",
            "ascend",
            "env NCCL_SOCKET_IFNAME=ib0 HCCL_SOCKET_IFNAME=ib0 mpirun -n 4 -ppn 2 -hosts a,b"
            " P -b 8K -e 1G -f 2 -d fp32 -o sum -p 2",
        ),
    ],
)
def test_command_lines_of_launchers(launcher: str, vendor: str, line: str) -> None:
    how = Across(launcher=launcher, program="P", local=2, vendor=vendor)
    assert " ".join(across_argv(how, ["a", "b"], "ib0")) == line


def facts(count: int, device: str, *, groups: tuple[tuple[int, ...], ...]) -> NodeFacts:
    ids = [f"x:{index}" for index in range(count)]
    return msgspec.convert(
        {
            "kind": "node_facts",
            "probed_at": 0.0,
            "accelerators": [
                {"id": one, "vendor": "nvidia", "index": index, "device": device}
                for index, one in enumerate(ids)
            ],
            "topology": {"groups": [[ids[index] for index in group] for group in groups]},
        },
        NodeFacts,
    )


def test_what_links_carry_follows_from_sheet_and_topology() -> None:
    everyone = (tuple(range(8)),)
    assert expected_bus(facts(8, "h100-sxm-80", groups=everyone), SHEETS) == (4.5e11, "nvlink")
    assert expected_bus(facts(8, "ascend-910b3", groups=everyone), SHEETS) == (1.96e11, "hccs")
    assert expected_bus(facts(2, "ascend-910b3", groups=((0, 1),)), SHEETS) == (
        pytest.approx(1.96e11 / 7),
        "hccs",
    )
    assert expected_bus(facts(4, "h100-sxm-80", groups=((0, 1), (2, 3))), SHEETS) is None
    assert expected_bus(facts(2, "l4", groups=((0, 1),)), SHEETS) is None
    assert expected_bus(facts(2, "unheard-of", groups=((0, 1),)), SHEETS) is None

"""Nodes are judged by what is known: broken, kept, or not to be decided; and against the others of their class."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.inspection import diff_facts, judge_class, judge_node, load_rules
from l0_infra.schemas import (
    Accelerator,
    AcceleratorLink,
    Condition,
    Cpu,
    Ecc,
    FabricManager,
    FabricManagerEvent,
    FabricMembership,
    FabricPort,
    Inspection,
    KernelEvent,
    Memory,
    MemoryRepair,
    NodeFacts,
    PackageLock,
    PciDevice,
    ResourceLimit,
    Unread,
)

RULES = load_rules()


def gpu(index: int = 0, **fields: Any) -> Accelerator:
    return Accelerator(id=f"nvidia:{index}", vendor="nvidia", index=index, **fields)


def node(*accelerators: Accelerator, **fields: Any) -> NodeFacts:
    return NodeFacts(probed_at=5.0, accelerators=accelerators, **{"node": "gpu01", **fields})


def judged(facts: NodeFacts) -> Inspection:
    return judge_node(facts, RULES)


def broken(facts: NodeFacts) -> set[tuple[str, str]]:
    return {(found.rule, found.subject) for found in judged(facts).findings}


DOWN = (AcceleratorLink(index=4, kind="nvlink", active=False),)
SXID = FabricManagerEvent(level="ERROR", text="fatal error 20034", device="0000:c5:00.0", code=20034)

CASES = [
    (node(gpu(3, ecc=Ecc(enabled=False))), ("ecc-off", "nvidia:3")),
    (node(gpu(ecc=Ecc(enabled=True, pending=False))), ("ecc-change-pending", "nvidia:0")),
    (node(gpu(ecc=Ecc(uncorrected_volatile=2))), ("ecc-uncorrected", "nvidia:0")),
    (node(gpu(condition=Condition(temperature_c=91.0))), ("hot", "nvidia:0")),
    (
        node(gpu(condition=Condition(power_limit_w=500.0, power_limit_default_w=700.0))),
        ("power-limit-lowered", "nvidia:0"),
    ),
    (node(gpu(model="A", links=DOWN)), ("link-down", "nvidia:0")),
    (node(gpu(2, device="h100-sxm-80", links_up=0)), ("links-none", "nvidia:2")),
    (node(gpu(0, links_up=18), gpu(1, links_up=17), gpu(2, links_up=18)), ("links-up-differ", "nvidia:1")),
    (
        node(gpu(ecc=Ecc(sram_threshold_exceeded=True, uncorrected_sram_in=("l2",)))),
        ("sram-errors", "nvidia:0"),
    ),
    (node(gpu(memory_repair=MemoryRepair(repair_pending=True))), ("repair-pending", "nvidia:0")),
    (node(gpu(memory_repair=MemoryRepair(unrepairable=True))), ("memory-unrepairable", "nvidia:0")),
    (node(gpu(condition=Condition(error_codes=("infoROM corrupted",)))), ("inforom-corrupted", "nvidia:0")),
    (node(gpu(fabric=FabricMembership(state="In Progress"))), ("fabric-registration", "nvidia:0")),
    (node(gpu(fabric=FabricMembership(state="Completed", status="x"))), ("fabric-status", "nvidia:0")),
    (
        node(gpu(fabric=FabricMembership(state="Completed", complaints=("route unhealthy",)))),
        ("fabric-health", "nvidia:0"),
    ),
    (
        node(fabric_manager=FabricManager(events=(SXID, FabricManagerEvent(level="WARNING", text="t")))),
        ("fabric-manager-error", "0000:c5:00.0"),
    ),
    (node(gpu(0, model="A"), gpu(1, model="A"), gpu(2, model="B")), ("models-differ", "nvidia:2")),
    (node(unread=(Unread(what="nvidia-smi", reason="driver mismatch"),)), ("driver-mismatch", "nvidia-smi")),
    (node(unread=(Unread(what="npu-smi info", reason="hung"),)), ("tool-hung", "npu-smi info")),
    (
        node(
            gpu(),
            pci=tuple(
                PciDevice(address=f"0000:0{i}:00.0", vendor_id="10de", class_id="0302") for i in (1, 2)
            ),
            counted=("nvidia",),
        ),
        ("accelerators-missing", "node"),
    ),
    (
        node(fabric=(FabricPort(device="mlx5_0", port=1, purpose="compute", state="down"),)),
        ("port-down", "mlx5_0"),
    ),
    (
        node(
            kernel_events=(
                KernelEvent(
                    name="xid-79",
                    severity="fatal",
                    device="0000:1b:00.0",
                    text="t",
                    meaning="m",
                    action="reboot node",
                ),
            )
        ),
        ("kernel-fatal", "0000:1b:00.0"),
    ),
]


@pytest.mark.parametrize(("facts", "fault"), CASES, ids=[fault[0] for _, fault in CASES])
def test_a_fault_is_found_where_it_is(facts: NodeFacts, fault: tuple[str, str]) -> None:
    assert broken(facts) == {fault}


def test_cards_joined_by_bridges_have_links_that_lead_nowhere() -> None:
    assert broken(node(gpu(model="NVIDIA H100 NVL", links=DOWN))) == set()


def test_a_finding_says_all_in_words() -> None:
    (found,) = judged(node(gpu(3, ecc=Ecc(uncorrected_volatile=7)))).findings
    assert found.what == "memory errors of nvidia:3 that were not corrected, since the driver was loaded"
    assert (found.found, found.expected, found.severity) == ("7", "0", "error")


def test_what_is_unknown_is_neither_broken_nor_kept() -> None:
    verdict = judged(node(gpu(ecc=Ecc())))
    assert verdict.findings == ()
    assert ("ecc-off", "nvidia:0", "ecc.enabled is unknown") in [
        (one.rule, one.subject, one.why) for one in verdict.undecided
    ]
    assert "ecc-off" not in verdict.passed


def test_what_holds_is_told() -> None:
    assert "ecc-off" in judged(node(gpu(ecc=Ecc(enabled=True)))).passed


def test_the_worst_comes_first() -> None:
    facts = node(
        gpu(ecc=Ecc(enabled=False), condition=Condition(temperature_c=90.0)),
        unread=(Unread(what="nvidia-smi", reason="driver mismatch"),),
    )
    assert [found.severity for found in judged(facts).findings] == ["fatal", "error", "warning"]


def test_of_two_that_differ_none_is_the_odd_one() -> None:
    assert broken(node(gpu(0, model="A"), gpu(1, model="B"))) == set()


def like(name: str, **fields: Any) -> NodeFacts:
    return node(gpu(driver_version="570.1"), node=name, cpu=Cpu(model="X", threads=64), **fields)


def test_the_odd_one_out_of_a_class_is_named_with_what_is_usual() -> None:
    odd = msgspec.structs.replace(like("n2"), cpu=Cpu(model="X", threads=32))
    found = judge_class([like("n0"), like("n1"), odd, like("n3")], RULES)
    assert [(index, [one.rule for one in findings]) for index, findings in found.items()] == [
        (2, ["odd-threads"])
    ]
    assert (found[2][0].found, found[2][0].expected) == ("32", "64, as 3 of 4 nodes")


def test_a_missing_accelerator_makes_a_node_odd() -> None:
    empty = node(node="n3", cpu=Cpu(model="X", threads=64))
    found = judge_class([like("n0"), like("n1"), like("n2"), empty], RULES)
    assert "odd-driver" in [one.rule for one in found[3]] and found[3][0].found == "none"


def test_a_few_bytes_of_memory_make_nobody_odd() -> None:
    nodes = [like(f"n{i}", memory=Memory(total_bytes=512 * 2**30 + 4096 * i)) for i in range(4)]
    assert judge_class(nodes, RULES) == {}


def test_who_does_not_tell_is_not_odd() -> None:
    nodes = [like("n0"), like("n1"), like("n2"), NodeFacts(node="n3", probed_at=5.0)]
    assert "odd-cpu" not in [one.rule for one in judge_class(nodes, RULES).get(3, ())]


def test_a_class_without_a_majority_has_no_odd_one() -> None:
    nodes = [msgspec.structs.replace(like(f"n{i}"), cpu=Cpu(threads=i // 2)) for i in range(6)]
    assert judge_class(nodes, RULES) == {}


@given(st.permutations(range(5)))
def test_who_is_odd_does_not_depend_on_the_order(order: list[int]) -> None:
    nodes = [like(f"n{i}", memory=Memory(total_bytes=(1 if i == 3 else 2) * 2**40)) for i in order]
    assert [nodes[index].node for index in judge_class(nodes, RULES)] == ["n3"]


def test_two_looks_at_one_node_do_not_differ() -> None:
    later = msgspec.structs.replace(like("n0"), probed_at=9.0, memory=Memory(available_bytes=7))
    assert diff_facts(like("n0", memory=Memory(available_bytes=3)), later) == ()


def test_nodes_differ_field_by_field() -> None:
    other = msgspec.structs.replace(
        like("n1"), accelerators=(gpu(driver_version="550.9", uuid="GPU-2"), gpu(1, model="B"))
    )
    assert [(one.field, one.first, one.second) for one in diff_facts(like("n0"), other)] == [
        ("accelerators[nvidia:0].driver_version", "570.1", "550.9"),
        ("accelerators[nvidia:1].id", None, "nvidia:1"),
        ("accelerators[nvidia:1].vendor", None, "nvidia"),
        ("accelerators[nvidia:1].index", None, "1"),
        ("accelerators[nvidia:1].model", None, "B"),
    ]


def open_files(login: int, service: int, bound: int | None) -> NodeFacts:
    limits = [
        ResourceLimit(name="nofile", scope="login", soft=login, hard=20480),
        ResourceLimit(name="nofile", scope="service", service="slurmd", soft=1024, hard=service),
    ]
    if bound is not None:
        limits.append(ResourceLimit(name="nofile", scope="node", hard=bound))
    return node(resource_limits=tuple(limits))


@pytest.mark.parametrize(
    ("facts", "rules"),
    [
        (open_files(1024, 524288, None), {"nofile-low"}),
        (open_files(65536, 524288, None), set()),
        (open_files(65536, 4096, None), {"nofile-service"}),
        (open_files(20480, 524288, 20480), {"nofile-bounded"}),
        (open_files(1024, 524288, 20480), {"nofile-bounded", "nofile-low"}),
    ],
)
def test_files_are_judged_by_what_can_be_had(facts: NodeFacts, rules: set[str]) -> None:
    assert {rule for rule, _ in broken(facts)} == rules


def test_what_cannot_be_mended_within_is_a_notice() -> None:
    (found,) = judged(open_files(20480, 524288, 20480)).findings
    assert (found.severity, found.found) == ("notice", "20480, which nothing in it can raise")


@pytest.mark.parametrize(("running_s", "rules"), [(12.0, set()), (None, set()), (900.0, {"package-lock"})])
def test_a_package_lock_that_is_held_for_long_is_told_with_its_holder(
    running_s: float | None, rules: set[str]
) -> None:
    lock = PackageLock(file="/var/lib/dpkg/lock", pid=77, program="aptd", running_s=running_s)
    found = judged(node(package_locks=(lock,))).findings
    assert {one.rule for one in found} == rules
    assert all(
        one.found.endswith("held by aptd (process 77), which has been running for 900 s") for one in found
    )

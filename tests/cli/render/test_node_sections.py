"""All that the facts of whole nodes tell has its line, and what is unknown has none."""

from functools import cache
from pathlib import Path

import msgspec
import pytest

from l0_infra.facts.bundle import ABSENT, parse_bundle
from l0_infra.facts.probe import SOURCES, parse_node
from l0_infra.schemas import Advice, NodeFacts, Topology
from ogai.render.node.facts import describe_facts

CASES = Path(__file__).parents[2] / "cases"

TOLD = (
    ("facts/nvidia_h100_mig", "112 of 700 W, 1980 of 1980 MHz, driver asks: Drain and Reset"),
    (
        "facts/nvidia_h100_mig",
        "ECC on, 2 uncorrected, 12 uncorrected in its life, 1 row remapped, cannot be repaired",
    ),
    ("facts/nvidia_h100_mig", "partitioned: 3g.40gb, 2g.20gb, 1g.10gb"),
    ("facts/nvidia_h100_mig", "held by process 40417 (VLLM::EngineCore)"),
    (
        "facts/nvidia_gb200_fabric",
        "17 of 18 nvlink links up, fabric Completed, Success, Unhealthy, route unhealthy",
    ),
    ("facts/nvidia_gb200_fabric", "18 of 18 nvlink links up, 8 link errors"),
    ("facts/nvidia_a100_eight", "physical id 2 port 17, 0000:c5:00.0, 2 times, last Mar 10 2025 01:07:58"),
    ("facts/ascend_910c_every_query", "health Alarm, error codes 80E21007 8C084E00, 46 °C"),
    ("facts/ascend_910c_every_query", "2 pages retired, repair waits for a reset"),
    ("facts/ascend_910c_every_query", "ascend:2/1      ethernet, down, for compute"),
    ("facts/ascend_910c_every_query", "link lost 2 times"),
    ("facts/amd_mi300x_every_output", "NUMA 1, PCIe 5 x8 of 16, driver 6.14.14"),
    ("facts/amd_mi300x_every_output", "held back: power cap, hardware thermal slowdown"),
    ("facts/gpu_server_seen_as_root", "2 × 64 GiB, DDR5, 4400 MT/s, Example Memory, EX64G4800"),
    ("facts/gpu_server_seen_as_root", "uncorrected 0, corrected 3, in CPU_SrcID#0_MC#0_Chan#1_DIMM#0"),
    ("facts/gpu_server_seen_as_root", "104 % worn, 100 % spare, 12 media errors, 36 °C"),
    ("facts/gpu_server_seen_as_root", "chrony active, nvidia-fabricmanager active, slurmd active"),
    ("facts/gpu_server_seen_as_root", "cgroup 2, IOMMU passthrough, governor performance"),
    ("facts/gpu_server_seen_as_root", "SELinux disabled, AppArmor on, firewall iptables (6 rules)"),
    ("facts/gpu_server_seen_as_root", "chrony, synchronised, to 10.77.0.5, off by +0.0045 ms"),
    ("facts/gpu_server_seen_as_root", "memlock         8 MiB, for a service"),
    ("facts/gpu_server_seen_as_root", "memlock         unlimited, slurmd"),
    ("facts/gpu_server_seen_as_root", "/var/lib/dpkg/lock-frontend, by process 30211, apt-get"),
    ("facts/gpu_server_seen_as_root", "10.78.0.11, 7c:c2:55:00:00:11, firmware 1.02"),
    (
        "facts/kernel_log_of_a_gpu_node",
        "error           xid-94 (0000:8d:00.0 2 times): Memory of the GPU lost data",
    ),
    ("facts/kernel_log_of_a_gpu_node", "mend: restart work"),
    ("facts/server_two_sockets", "ens3f0np0       leaf-03, swp17, bridge"),
    ("interconnect/two_gpus_roce", "trusts dscp, PFC on 3, ECN on 3"),
    ("interconnect/two_gpus_roce", "trusts pcp, PFC on none"),
    ("interconnect/four_gpus_ndr_and_storage_card", "link_downed 3, port_xmit_wait 90210, symbol_error 12"),
    ("interconnect/four_gpus_ndr_and_storage_card", "next to mlx5_10 (pix)"),
    ("interconnect/four_gpus_ndr_and_storage_card", "linked          nvidia: 0 1 2 3"),
)


@cache
def facts_of(case: str) -> NodeFacts:
    told = parse_bundle((CASES / f"{case}.bundle").read_text())
    return parse_node({source.name: ABSENT for source in SOURCES} | dict(told), now=7.5)


def shown(facts: NodeFacts) -> str:
    return "\n".join(f"{name:<18}{value}".rstrip() for name, value in describe_facts(facts))


@pytest.mark.parametrize(("case", "line"), TOLD)
def test_what_a_node_tells_has_its_line(case: str, line: str) -> None:
    assert line in shown(facts_of(case))


@pytest.mark.parametrize("case", sorted(path.stem for path in (CASES / "facts").glob("*.bundle")))
def test_no_line_is_empty_and_none_shows_python(case: str) -> None:
    fields = list(describe_facts(facts_of(f"facts/{case}")))
    heads = [name for name, value in fields if not value]
    assert [name for name in heads if not name or name.startswith(" ")] == []
    assert [value for _, value in fields if "None" in value or value != value.strip(", ")] == []


def test_what_was_not_read_has_no_section() -> None:
    heads = [name for name, value in describe_facts(NodeFacts(probed_at=1.0)) if not value]
    assert heads == ["Node", "CPU", "Memory", "Disks", "Network", "Accelerators"]


def test_the_worst_of_a_long_kernel_log_comes_first_and_the_rest_is_counted() -> None:
    events = facts_of("facts/kernel_log_of_a_gpu_node").kernel_events or ()
    notices = [
        msgspec.structs.replace(events[0], severity="notice", name=f"n-{index}") for index in range(20)
    ]
    worst = msgspec.structs.replace(events[0], severity="fatal", name="worst")
    text = shown(NodeFacts(probed_at=1.0, kernel_events=(*notices, worst)))
    assert text.index("worst") < text.index("n-0 ") and "n-10 " in text and "n-11 " not in text
    assert "and 9 more, no worse; `-o json` lists all" in text


def test_advice_is_told_as_it_is_set_with_its_reason() -> None:
    advice = Advice(name="NCCL_IB_HCA", value="=mlx5_4,mlx5_7", reason="they lie next to GPUs", source="docs")
    text = shown(NodeFacts(probed_at=1.0, topology=Topology(advice=(advice,))))
    assert "NCCL_IB_HCA==mlx5_4,mlx5_7" in text and "because they lie next to GPUs" in text


def test_what_happened_to_many_devices_is_explained_once() -> None:
    event = (facts_of("facts/kernel_log_of_a_gpu_node").kernel_events or ())[0]
    events = [msgspec.structs.replace(event, device=f"0000:0{index}:00.0", count=index) for index in (1, 2)]
    text = shown(NodeFacts(probed_at=1.0, kernel_events=tuple(events)))
    assert "(0000:01:00.0 once, 0000:02:00.0 2 times)" in text and text.count(event.meaning) == 1

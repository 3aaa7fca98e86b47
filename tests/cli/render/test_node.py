"""Facts of a node as a person sees them."""

from l0_infra.schemas import (
    Accelerator,
    AcceleratorProcess,
    CgroupLimits,
    Disk,
    Memory,
    Mount,
    NetworkInterface,
    NodeFacts,
    Unread,
)
from ogai.render.node.facts import describe_facts


def shown(facts: NodeFacts) -> str:
    return "\n".join(f"{name:<16}{value}" for name, value in describe_facts(facts))


def test_unknown_is_said_and_never_shown_as_zero() -> None:
    text = shown(
        NodeFacts(probed_at=1.0, accelerators=(Accelerator(id="nvidia:3", vendor="nvidia", index=3),))
    )
    assert "0 B" not in text
    assert "memory unknown" in text
    assert "processes unknown" in text


def test_holders_of_an_accelerator_are_named() -> None:
    busy = Accelerator(
        id="amd:0",
        vendor="amd",
        index=0,
        model="Instinct X",
        memory_bytes=64 * 2**30,
        memory_used_bytes=48 * 2**30,
        processes=(AcceleratorProcess(pid=71), AcceleratorProcess(pid=72)),
    )
    text = shown(NodeFacts(probed_at=1.0, accelerators=(busy,)))
    assert "Instinct X, 48 GiB of 64 GiB used" in text
    assert "held by process 71, 72" in text


def test_an_idle_accelerator_is_free() -> None:
    idle = Accelerator(id="ascend:1", vendor="ascend", index=1, processes=())
    assert "free" in shown(NodeFacts(probed_at=1.0, accelerators=(idle,)))


def test_limits_of_a_container_are_told_beside_the_machine() -> None:
    facts = NodeFacts(
        probed_at=1.0,
        memory=Memory(total_bytes=512 * 2**30, available_bytes=400 * 2**30),
        limits=CgroupLimits(cpus=2.5, cpu_list="4-7", memory_bytes=16 * 2**30),
        cpus_usable=2,
        memory_usable_bytes=16 * 2**30,
    )
    text = shown(facts)
    assert "2, time limited to 2.5 CPUs, allowed on 4-7" in text
    assert "512 GiB, 400 GiB available" in text
    assert "16 GiB, limited" in text


def test_disks_network_and_what_was_not_read() -> None:
    facts = NodeFacts(
        probed_at=1.0,
        disks=(
            Disk(
                name="nvme3n1",
                size_bytes=2**41,
                rotational=False,
                mounts=(Mount(source="nvme3n1p1", mountpoint="/data", filesystem="xfs"),),
            ),
        ),
        interfaces=(
            NetworkInterface(
                name="ib7", state="up", speed_bits_per_s=400 * 10**9, addresses=("10.9.0.3/16",)
            ),
        ),
        unread=(Unread(what="npu-smi info", reason="hung", hint="ask again"),),
    )
    text = shown(facts)
    assert "2 TiB, solid state" in text and "/data (xfs)" in text
    assert "up, 400 Gbit/s" in text and "10.9.0.3/16" in text
    assert "npu-smi info" in text and "hung" in text and "mend: ask again" in text


def test_a_driver_mismatch_is_not_shown_as_no_accelerator() -> None:
    fault = Unread(what="nvidia-smi", reason="driver mismatch", detail="570.133.20 and 570.86")
    text = shown(NodeFacts(probed_at=1.0, unread=(fault,)))
    assert "none found; see below" in text and "nvidia-smi: 570.133.20 and 570.86" in text


def test_nothing_found_is_said() -> None:
    assert shown(NodeFacts(probed_at=1.0)).count("none found") == 3

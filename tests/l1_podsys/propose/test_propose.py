"""What is proposed of hosts that were looked at: classes of equal ones, common networks, a sound document."""

import pytest

from l0_infra.core.documents import parse_document
from l0_infra.schemas import Accelerator, Cpu, FabricPort, Memory, NetworkInterface, NodeFacts
from l1_podsys import ClusterAnswers, propose_cluster, render_proposed
from l1_podsys.propose.classes import propose_classes
from l1_podsys.propose.networks import propose_networks
from l1_podsys.schemas import Cluster, Ssh, Storage, User

GIB = 2**30


def gpus(model: str, count: int = 8) -> tuple[Accelerator, ...]:
    return tuple(
        Accelerator(id=f"nvidia:{index}", vendor="nvidia", index=index, model=model) for index in range(count)
    )


def node(
    *, memory: float = 64, cpus: int = 16, accelerators: tuple[Accelerator, ...] = (), **networks: str
) -> NodeFacts:
    return NodeFacts(
        probed_at=1.0,
        cpu=Cpu(threads=cpus),
        memory=Memory(total_bytes=int(memory * GIB)),
        accelerators=accelerators,
        interfaces=tuple(NetworkInterface(name=name, addresses=(text,)) for name, text in networks.items()),
    )


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ("NVIDIA H100 80GB HBM3", "h100x8"),
        ("NVIDIA A100-SXM4-40GB", "a100x8"),
        ("Ascend910B3", "ascend910b3x8"),
        ("910B2C", "910b2cx8"),
        ("AMD Instinct MI300X OAM", "mi300xx8"),
        ("Tesla V100-SXM2-32GB", "v100x8"),
    ],
)
def test_a_class_is_called_by_its_accelerators(model: str, named: str) -> None:
    assert propose_classes({"n1": node(accelerators=gpus(model))}) == {"n1": named}


def test_machines_that_tell_slightly_different_sizes_are_one_class() -> None:
    facts = {f"n{index}": node(memory=memory) for index, memory in enumerate((251.4, 251.8, 252.0))}
    assert set(propose_classes(facts).values()) == {"cpu"}


def test_what_differs_in_size_is_told_apart() -> None:
    facts = {"a": node(memory=64), "b": node(memory=128), "c": node(memory=64, cpus=32)}
    assert propose_classes(facts) == {"a": "cpu-16c-64g", "b": "cpu-16c-128g", "c": "cpu-32c-64g"}


def test_only_what_every_node_has_is_a_network() -> None:
    facts = [node(eth0="10.1.0.1/16", eth1="10.2.0.1/24"), node(eth0="10.1.0.2/16", eth2="10.3.0.1/24")]
    (network,) = propose_networks(facts, ["10.1.0.1", "10.1.0.2"])
    assert (network.purpose, network.cidr, network.interfaces) == ("management", "10.1.0.0/16", ("eth0",))


def test_the_management_network_holds_the_addresses_that_nodes_are_reached_by() -> None:
    facts = [node(a="10.1.0.1/24", b="10.2.0.1/24"), node(c="10.1.0.2/24", b="10.2.0.2/24")]
    (network,) = propose_networks(facts, ["10.1.0.1", "10.1.0.2"])
    assert (network.cidr, network.interfaces) == ("10.1.0.0/24", ())
    assert propose_networks(facts, ["192.168.0.1"]) == ()


def test_ports_for_computing_are_those_of_all_nodes_with_accelerators() -> None:
    ports = tuple(FabricPort(device=f"mlx5_{index}", port=1, purpose="compute") for index in range(4))
    other = FabricPort(device="mlx5_9", port=1, purpose="storage")
    facts = [
        NodeFacts(probed_at=1.0, accelerators=gpus("NVIDIA H100"), fabric=(*ports, other)) for _ in range(2)
    ]
    (network,) = propose_networks([*facts, node()])
    assert (network.purpose, network.interfaces) == ("compute", ("mlx5_[0-3]",))


def test_the_document_is_sound_short_and_explains_itself() -> None:
    answers = ClusterAnswers(
        name="pod",
        hosts=["n1", "n2", "n3", "n4"],
        head="n2",
        addresses={f"n{index}": f"10.1.0.{index}" for index in range(1, 5)},
        ssh=Ssh(user="ops"),
        storage=Storage(mountpoint="/shared", server_node="n2", source="/srv/shared"),
        users=[User(name="ada", uid=2001)],
    )
    facts = {
        name: node(accelerators=() if name == "n2" else gpus("NVIDIA H100"), eth0=f"10.1.0.{name[1]}/24")
        for name in ("n1", "n2", "n3")
    }
    cluster = propose_cluster(answers, facts)
    text = render_proposed(cluster)
    assert parse_document(text, source="x", expect=Cluster) == cluster
    assert [(group.names, group.roles, group.node_class) for group in cluster.nodes] == [
        ("n2", ("head", "login", "storage", "compute"), "cpu"),
        ("n[1,3]", ("compute",), "h100x8"),
        ("n4", ("compute",), "default"),
    ]
    assert text.count("\n\n# ") == 5 and len(text.splitlines()) < 50

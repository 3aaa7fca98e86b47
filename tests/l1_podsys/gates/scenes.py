"""Made-up nodes and clusters for the judges: all well, until a test breaks one thing."""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from l0_infra.core.documents import parse_document
from l0_infra.schemas import ClockState, Cpu, Inspection, Memory, NetworkInterface, NodeFacts
from l1_podsys.gates import Member, NodeView, Offset, Scene, members_of
from l1_podsys.gates.look import Look
from l1_podsys.gates.mesh import choose_peers
from l1_podsys.schemas import Cluster, Verdict
from l1_podsys.slurm import SlurmNode

TOKEN = "5eed"
CLUSTER = parse_document(
    """
kind: cluster
name: pod
nodes:
- {names: head, roles: [head], addresses: 10.5.0.1, node_class: head}
- {names: "c[1-4]", roles: [compute], addresses: "10.5.0.[11-14]"}
networks:
- {purpose: management, cidr: 10.5.0.0/24, interfaces: [eth0]}
- {purpose: compute, cidr: 10.6.0.0/24, interfaces: [eth1]}
scheduler: {controller: head, accounting: false}
storage:
- {mountpoint: /shared, source: /srv/shared, server_node: head}
""",
    source="pod.yaml",
    expect=Cluster,
)
GIB = 2**30


def facts_of(member: Member, **changes: object) -> NodeFacts:
    last = member.address.rpartition(".")[2]
    facts = NodeFacts(
        node=member.name,
        probed_at=1.0,
        cpu=Cpu(model="X", threads=16, cores=8),
        cpus_usable=16,
        memory=Memory(total_bytes=64 * GIB),
        memory_usable_bytes=64 * GIB,
        counted=("nvidia", "amd", "ascend"),
        clock=ClockState(service="chrony", source="head", synchronised=True, offset_s=1e-5),
        interfaces=(
            NetworkInterface(
                name="eth0", state="up", speed_bits_per_s=10**10, addresses=(f"10.5.0.{last}/24",)
            ),
            NetworkInterface(
                name="eth1", state="up", speed_bits_per_s=10**11, addresses=(f"10.6.0.{last}/24",)
            ),
        ),
    )
    return msgspec.structs.replace(facts, **changes)


def look_of(member: Member, peers: tuple[Member, ...]) -> Look:
    sections = {
        "mounts": ("/dev/sda1 / ext4 rw 0 0", "head:/srv/shared /shared nfs4 rw 0 0"),
        "blocks": ("/dev/sda1 1000 300 700 30% /",),
        "inodes": ("/dev/sda1 1000 100 900 10% /",),
        "write": ("ok /", "ok /tmp"),
        "mesh": tuple(peer.address for peer in peers),
        "storage /shared": (f"token {TOKEN}",),
        "failed": (),
        "munge": ("STATUS:          Success (0)",),
        "end": (),
        **{f"service {name}": ("active",) for name in ("munge", "slurmctld", "slurmd")},
        **{f"name {peer.name}": (peer.address,) for peer in peers},
    }
    for peer in peers:
        last = peer.address.rpartition(".")[2]
        sections[f"route 10.5.0.{last}"] = (f"10.5.0.{last} dev eth0 src {member.address}",)
        sections[f"route 10.6.0.{last}"] = (f"10.6.0.{last} dev eth1 src {member.address}",)
    return Look(sections=sections)


def scene() -> Scene:
    members = members_of(CLUSTER)
    by_name = {member.name: member for member in members}
    chosen = choose_peers([member.name for member in members], "head", 1)
    peers = {name: tuple(by_name[peer] for peer in others) for name, others in chosen.items()}
    views = tuple(
        NodeView(
            member=member,
            facts=facts_of(member),
            inspection=Inspection(node=member.name, facts_at=1.0, passed=("a",)),
            offset=Offset(seconds=5.0, error_s=0.01),
            look=look_of(member, peers[member.name]),
        )
        for member in members
    )
    slurm = tuple(slurm_node(f"c{index}") for index in range(1, 5))
    return Scene(views=views, peers=peers, tokens={"/shared": TOKEN}, slurm=slurm)


def slurm_node(name: str, state: str = "IDLE", **changes: object) -> SlurmNode:
    node = SlurmNode(
        name=name,
        states=frozenset(state.split("+")),
        cpus=16,
        cpus_allocated=0,
        memory_bytes=60 * GIB,
        slurm_version="24.11.5",
    )
    return replace(node, **changes)  # type: ignore[arg-type]  # a test names what it changes


def with_view(base: Scene, name: str, **changes: object) -> Scene:
    views = tuple(
        replace(view, **changes) if view.name == name else view  # type: ignore[arg-type]
        for view in base.views
    )
    return replace(base, views=views)


def with_lines(base: Scene, name: str, sections: Mapping[str, tuple[str, ...] | None]) -> Scene:
    """Change sections of what a node said; None takes one out."""
    view = next(view for view in base.views if view.name == name)
    assert view.look is not None
    merged = {**view.look.sections, **sections}
    look = Look(sections={key: lines for key, lines in merged.items() if lines is not None})
    return with_view(base, name, look=look)


def bad(verdicts: tuple[Verdict, ...]) -> set[tuple[str, str, str]]:
    """What is not well: node, check, severity."""
    return {(one.node, one.check, one.severity) for one in verdicts if one.severity != "ok"}

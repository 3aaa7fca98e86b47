"""Switches that are found become the scheduler's, at every size of a look; what contradicts them is told or refused."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from l0_infra import Ledger
from l0_infra.core.errors import FactsMissingError, UnsatisfiableError
from l0_infra.core.exec import Answer, Command
from l0_infra.schemas import ApplyRole
from l1_podsys import MUNGE_KEY, PASSWORD, Conflict, FoundSwitches, Misplaced
from l1_podsys.schemas import Cluster, Network, Scheduler, Switch
from ogai.flows.cluster.diff import describe_switches
from ogai.flows.cluster.lists import export_inventory
from ogai.flows.cluster.place import ClusterPlace
from ogai.flows.cluster.prepare import Prepared, prepare, settle
from ogai.flows.cluster.switches import misplaced_nodes
from ogai.render.cluster.plan import plan_text
from ogai.render.cluster.switches import switch_lines
from tests.support.scripted_clusters import FACTS, ROLES, ScriptedNodes, a_cluster

HEARD = b'"name": [{"value": "leaf-03"}]'
PORT = "|/sys/class/infiniband/mlx5_0"
IB = f"""@ sys-class-infiniband.txt 0
{PORT}/ports/1/state:4: ACTIVE
{PORT}/ports/1/link_layer:InfiniBand
{PORT}/ports/1/gids/0:fe80:0000:0000:0000:0000:0000:0000:GUID
{PORT}/ports/1/gid_attrs/types/0:IB/RoCE v1
"""
NAMES = [f"n{index:05}" for index in range(1, 5)]
MAP = """Switch\t41 "S-00000000000000a1"\t\t# "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 1 lmc 0
[1]\t"H-00000000000000f1"[1](1) \t\t# "n00001 mlx5_0" lid 5 4xHDR
[2]\t"H-00000000000000f2"[1](2) \t\t# "n00002 mlx5_0" lid 6 4xHDR
[40]\t"S-00000000000000b1"[1]\t\t# "MF0;spine1:MQM8700/U1" lid 3 4xHDR

Switch\t41 "S-00000000000000a2"\t\t# "MF0;leaf2:MQM8700/U1" enhanced port 0 lid 2 lmc 0
[1]\t"H-00000000000000f3"[1](3) \t\t# "n00003 mlx5_0" lid 7 4xHDR
[2]\t"H-00000000000000f4"[1](4) \t\t# "n00004 mlx5_0" lid 8 4xHDR
[40]\t"S-00000000000000b1"[2]\t\t# "MF0;spine1:MQM8700/U1" lid 3 4xHDR

Switch\t41 "S-00000000000000b1"\t\t# "MF0;spine1:MQM8700/U1" enhanced port 0 lid 3 lmc 0
[1]\t"S-00000000000000a1"[40]\t\t# "MF0;leaf1:MQM8700/U1" lid 1 4xHDR
[2]\t"S-00000000000000a2"[40]\t\t# "MF0;leaf2:MQM8700/U1" lid 2 4xHDR
"""
RING = "".join(
    f"""Switch\t41 "S-00000000000000a{here}"\t\t# "sw{here}" enhanced port 0 lid {here} lmc 0
[1]\t"H-00000000000000f{here}"[1]({here}) \t\t# "n0000{here} mlx5_0" lid 1{here} 4xHDR
[39]\t"S-00000000000000a{here % 3 + 1}"[40]\t\t# "sw{here % 3 + 1}" lid {here % 3 + 1} 4xHDR
[40]\t"S-00000000000000a{(here + 1) % 3 + 1}"[39]\t\t# "sw{(here + 1) % 3 + 1}" lid {(here + 1) % 3 + 1} 4xHDR
"""
    for here in (1, 2, 3)
)


class Cabled(ScriptedNodes):
    """Nodes that hear a switch each (none: nobody), or are on a fabric of which any tells the `map`."""

    def __init__(
        self, cluster: Cluster, leaves: Mapping[str, str], *, fabric: str = "", how: str = "0"
    ) -> None:
        super().__init__(cluster)
        self.leaves, self.fabric, self.how = leaves, fabric, how
        self.asked: list[str] = []

    def answer(self, name: str, command: Command) -> Answer:
        if b"ibnetdiscover -C mlx5_0 -P 1\n" not in (command.stdin or b""):
            return super().answer(name, command)
        self.asked.append(name)
        lines = "".join(f"|{line}\n" for line in self.fabric.splitlines())
        return Answer(stdout=f"@ ibnetdiscover.txt {self.how}\n{lines}@ all told\n")

    def facts(self, name: str) -> bytes:
        if self.fabric or self.how != "0":
            guid = f"{int(name[1:]):04x}" if name in self.leaves else "00ff"
            port = IB.replace("GUID", guid) if name in self.leaves else ""
            return FACTS.replace(b"@ all told", f"{port}@ all told".encode())
        leaf = self.leaves.get(name)
        if leaf is None:
            return FACTS.replace(b'"interface": [{"name": "ens3f0np0"', b'"interface": [{"name": "ens9"')
        return FACTS.replace(HEARD, f'"name": [{{"value": "{leaf}"}}]'.encode())


def wished(source: str, *, interface: str = "ens3f0np0", switches: tuple[Switch, ...] = ()) -> Cluster:
    return msgspec.structs.replace(
        a_cluster(len(NAMES)),
        networks=(Network(purpose="compute", interfaces=(interface,)),),
        scheduler=Scheduler(version="24.11", switches_from=source, switches=switches),  # type: ignore[arg-type]
    )


@contextmanager
def at_work(folder: Path) -> Iterator[tuple[ClusterPlace, Ledger]]:
    place = ClusterPlace(home=folder, name="pod")
    place.prepare()
    for name in (MUNGE_KEY, PASSWORD):
        (place.secrets / name).write_bytes(os.urandom(8))
    with Ledger.at(place.ledger) as ledger:
        yield place, ledger


def look(nodes: Cabled, cluster: Cluster, folder: Path, names: list[str]) -> Prepared:
    """Look, and keep what is kept once a plan is agreed to."""
    with at_work(folder) as (place, ledger), nodes:
        looked = prepare(cluster, place, names, nodes, ledger, roles=ROLES, sudo=False)
        return settle(looked, nodes, sudo=False)


def told(prepared: Prepared, step: str, variable: str) -> object:
    (action,) = (one.action for one in prepared.plan.steps if one.id == step)
    assert isinstance(action, ApplyRole)
    return json.loads(action.variables[variable])


def written(prepared: Prepared) -> list[str]:
    """List the lines of topology.conf."""
    text = told(prepared, "head:slurm_controller", "slurm_controller_topology_conf")
    assert isinstance(text, str)
    return [line for line in text.splitlines() if not line.startswith("#")]


LEAVES = dict(zip(NAMES, ("leaf1", "leaf1", "leaf2", "leaf2"), strict=True))
TWO = ["SwitchName=leaf1 Nodes=n[00001-00002]", "SwitchName=leaf2 Nodes=n[00003-00004]"]
UNDER_ALL = [*TWO, "SwitchName=ogai-all Switches=leaf[1-2]"]
UNDER_SPINE = [*TWO, "SwitchName=spine1 Switches=leaf[1-2]"]


def test_what_nodes_hear_is_what_the_scheduler_is_told_and_what_the_plan_shows(tmp_path: Path) -> None:
    cluster = wished("lldp")
    prepared = look(Cabled(cluster, LEAVES), cluster, tmp_path, NAMES)
    assert written(prepared) == UNDER_ALL
    conf = told(prepared, "head:slurm_controller", "slurm_controller_conf")
    assert "\nTopologyPlugin=topology/tree\n" in str(conf)
    assert told(prepared, "n00001:slurm_node", "slurm_node_packages") == ["slurmd", "slurm-client", "lldpd"]
    assert told(prepared, "n00001:slurm_node", "slurm_node_services") == ["slurmd", "lldpd"]
    assert '    - {name: leaf2, nodes: "n[00003-00004]"}' in plan_text(prepared).splitlines()


def test_a_look_at_one_node_keeps_the_places_of_the_others(tmp_path: Path) -> None:
    cluster = wished("lldp")
    look(Cabled(cluster, LEAVES), cluster, tmp_path, NAMES)
    one = Cabled(cluster, {**LEAVES, "n00002": "leaf2"})
    assert written(look(one, cluster, tmp_path, ["n00002"])) == [
        "SwitchName=leaf1 Nodes=n00001",
        "SwitchName=leaf2 Nodes=n[00002-00004]",
        "SwitchName=ogai-all Switches=leaf[1-2]",
    ]
    assert set(one.trips) == {"head", "n00002"}


def test_a_switch_that_is_silent_for_a_while_moves_nobody(tmp_path: Path) -> None:
    cluster = wished("lldp")
    look(Cabled(cluster, LEAVES), cluster, tmp_path, NAMES)
    silent = look(Cabled(cluster, {"n00001": "leaf1"}), cluster, tmp_path, NAMES)
    assert written(silent) == UNDER_ALL
    assert "3 hear nobody now and stay where they were: n00002, n00003, n00004" in plan_text(silent)


def test_before_anybody_listens_no_switch_is_considered_and_the_plan_says_why(tmp_path: Path) -> None:
    cluster = wished("lldp")
    prepared = look(Cabled(cluster, {}), cluster, tmp_path, NAMES)
    assert written(prepared) == []
    assert "TopologyPlugin" not in str(told(prepared, "head:slurm_controller", "slurm_controller_conf"))
    assert "switches by lldp: none found, so none is considered" in plan_text(prepared)
    assert "not placed: n[00001-00004]: ens3f0np0 hears nobody by LLDP" in plan_text(prepared)


def test_one_node_of_the_fabric_is_asked_and_its_map_is_kept(tmp_path: Path) -> None:
    cluster = wished("ibnetdiscover", interface="mlx5_0")
    nodes = Cabled(cluster, LEAVES, fabric=MAP)
    assert written(look(nodes, cluster, tmp_path, NAMES)) == UNDER_SPINE
    assert nodes.asked == ["n00001"]
    deaf = Cabled(cluster, LEAVES, fabric="", how="hung")
    assert written(look(deaf, cluster, tmp_path, NAMES)) == UNDER_SPINE
    assert deaf.asked == NAMES[:3]


def test_an_inventory_says_what_is_kept_of_switches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path))
    cluster = wished("ibnetdiscover", interface="mlx5_0")
    look(Cabled(cluster, LEAVES, fabric=MAP), cluster, tmp_path, NAMES)
    assert "SwitchName=spine1 Switches=leaf[1-2]" in export_inventory(name="pod").text


def test_a_fabric_that_nobody_tells_is_refused_with_what_to_do(tmp_path: Path) -> None:
    cluster = wished("ibnetdiscover", interface="mlx5_0")
    with pytest.raises(FactsMissingError, match="not installed") as raised:
        look(Cabled(cluster, LEAVES, how="absent"), cluster, tmp_path, NAMES)
    assert "infiniband-diags" in raised.value.hint


def test_a_ring_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    cluster = wished("ibnetdiscover", interface="mlx5_0")
    with pytest.raises(UnsatisfiableError, match=r"sw\[1-3\]: .* ring") as raised:
        look(Cabled(cluster, LEAVES, fabric=RING), cluster, tmp_path, NAMES)
    assert raised.value.exit_code == 3
    assert "write `switches` by hand" in raised.value.hint
    assert not (tmp_path / "clusters/pod/fabric.json").exists()


BY_HAND = (Switch(name="a", nodes="n[00001-00003]"), Switch(name="b", nodes="n00004"))


@pytest.mark.parametrize(
    ("nodes", "moved"),
    [
        ({"leaves": LEAVES}, {"n00003": ("a", "leaf2")}),
        ({"leaves": LEAVES, "fabric": MAP}, {"n00003": ("a", "leaf2")}),
        ({"leaves": {}}, {}),
    ],
    ids=["heard", "told by the fabric", "nothing found"],
)
def test_what_a_document_says_is_compared_with_what_is_found(
    nodes: dict[str, object], moved: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    interface = "mlx5_0" if "fabric" in nodes else "ens3f0np0"
    cluster = wished("document", interface=interface, switches=BY_HAND)
    cabled = Cabled(cluster, **nodes)  # type: ignore[arg-type]
    prepared = look(cabled, cluster, tmp_path, NAMES)
    assert cabled.asked == []  # a document needs no map until somebody compares
    assert written(prepared)[:2] == ["SwitchName=a Nodes=n[00001-00003]", "SwitchName=b Nodes=n00004"]
    assert "lldpd" not in str(told(prepared, "n00001:slurm_node", "slurm_node_packages"))
    with cabled:
        _, misplaced = misplaced_nodes(
            cluster, prepared.place, prepared.sighted, prepared.facts, prepared.traits, cabled, sudo=False
        )
    assert {one.node: (one.written, one.found) for one in misplaced} == moved


def test_who_moved_since_the_last_run_is_named(tmp_path: Path) -> None:
    cluster = wished("lldp")
    look(Cabled(cluster, LEAVES), cluster, tmp_path, NAMES)
    nodes = Cabled(cluster, {**LEAVES, "n00003": "leaf1"})
    with at_work(tmp_path) as (place, ledger), nodes:
        now = prepare(cluster, place, NAMES, nodes, ledger, roles=ROLES, sudo=False)
        _, misplaced = misplaced_nodes(cluster, place, now.sighted, now.facts, now.traits, nodes, sudo=False)
    assert [(one.node, one.written, one.found) for one in misplaced] == [("n00003", "leaf2", "leaf1")]


def test_a_contradiction_is_in_the_plan_and_in_the_comparison_with_what_to_do() -> None:
    crossed = Conflict(where="n[1-2]", found="eth0 hears leaf1 and leaf2", hint="look at the cables")
    many = tuple(Switch(name=f"leaf{index}", nodes=f"m{index}") for index in range(25))
    found = FoundSwitches(source="lldp", switches=many, conflicts=(crossed,), notes=("the first counts",))
    lines = list(switch_lines(found))
    assert lines[0] == "  switches by lldp: 25"
    assert lines[-3:] == [
        "    … and 5 more",
        "    contradicted: n[1-2]: eth0 hears leaf1 and leaf2; look at the cables",
        "    the first counts",
    ]
    moved = Misplaced(node="m7", written="", found="leaf7")
    assert [
        (one.node, one.what, one.left, one.found, one.reason) for one in describe_switches(found, [moved])
    ] == [
        ("m7", "leaf switch", "", "leaf7", "on another switch than written"),
        ("n1", "", "", "", "eth0 hears leaf1 and leaf2; look at the cables"),
        ("n2", "", "", "", "eth0 hears leaf1 and leaf2; look at the cables"),
    ]
    assert describe_switches(None, ()) == ()

"""A cluster becomes an Ansible inventory that Ansible reads, and that is read back as the same cluster."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.nodeset import natural_key
from l0_infra.schemas import Node
from l1_podsys import assemble, parse_list, render_inventory
from l1_podsys.schemas import Cluster, Machine, NodeGroup, Ssh

labels = st.from_regex(r"[a-z]{1,4}", fullmatch=True)
odd = st.sampled_from(["010", "0012345", "no", "535.10", "~", "1e9", "0x1f", "12:34:56"])
typed = st.one_of(odd, st.text("abc01:", min_size=1))
ROLES = ("head", "login", "storage", "compute")


@st.composite
def clusters(draw: st.DrawFn) -> Cluster:
    numbers = iter(range(1, 255))
    groups = []
    prefixes = draw(st.lists(labels, min_size=1, max_size=4, unique=True))
    for index, prefix in enumerate(prefixes):
        width, size = draw(st.integers(1, 3)), draw(st.integers(1, 9))
        names = [f"{prefix}{str(number).zfill(width)}" for number in range(1, size + 1)]
        others = draw(
            st.sets(st.sampled_from(["login", "storage", "compute"]), min_size=0 if index == 0 else 1)
        )
        known = draw(st.booleans()) and index > 0
        groups.append(
            NodeGroup(
                names=",".join(names),
                roles=tuple(role for role in ROLES if role in others or (role == "head" and index == 0)),  # type: ignore[misc]
                node_class=draw(
                    st.one_of(st.just("default"), st.from_regex(r"[a-z][a-z0-9-]{0,6}", fullmatch=True))
                ),
                addresses=",".join(f"10.9.0.{next(numbers)}" for _ in names) if draw(st.booleans()) else None,
                bmc_addresses=",".join(f"10.9.1.{next(numbers)}" for _ in names)
                if draw(st.booleans())
                else None,
                machines={
                    name: Machine(serial=f"0{index}{place}", rack=draw(typed))
                    for place, name in enumerate(names)
                }
                if known
                else {},
            )
        )
    ssh = Ssh(
        user=draw(st.sampled_from([None, "deploy"])),
        port=draw(st.sampled_from([None, 2222])),
        proxy_jump=draw(st.sampled_from([None, "ops@jump:2200"])),
        identity_file=draw(st.sampled_from([None, "/keys/pod key"])),
        sudo=draw(st.booleans()),
    )
    return Cluster(name="pod", nodes=tuple(groups), ssh=ssh)


def listed(cluster: Cluster) -> list[tuple[Node, frozenset[str]]]:
    nodes = [(node, frozenset(group.roles)) for group in cluster.nodes for node in group.listed()]
    return sorted(nodes, key=lambda pair: natural_key(pair[0].name))


def read_back(text: str) -> Cluster:
    return assemble(parse_list(text, "ansible-inventory", "inventory.yaml"), name="pod").cluster


@given(clusters())
def test_what_is_written_is_read_back_as_the_same_nodes(cluster: Cluster) -> None:
    again = read_back(render_inventory(cluster))
    assert listed(again) == listed(cluster)
    assert again.ssh == cluster.ssh


POD = Cluster(
    name="pod",
    nodes=(
        NodeGroup(names="hub", roles=("head",), addresses="10.9.0.1"),
        NodeGroup(names="n[1-3]", roles=("compute",), node_class="hgx-8", addresses="10.9.0.[2-4]"),
    ),
    ssh=Ssh(user="deploy"),
)
VARIABLES: Mapping[str, Mapping[str, str]] = {
    "hub": {"time_zone": '"UTC"', "time_serve": "true", "names_hosts": '[{"name": "hub"}]'},
    "n1": {"time_zone": '"UTC"', "time_serve": "false", "slurm_node_server": '"hub:6817"'},
    "n2": {"time_zone": '"UTC"', "time_serve": "false", "slurm_node_server": '"hub:6817"'},
    "n3": {"time_zone": '"CET"', "time_serve": "false", "slurm_node_server": '"{{ odd }}:6817"'},
}


def test_what_roles_are_told_stands_where_most_share_it() -> None:
    whole = yaml.compose(render_inventory(POD, VARIABLES))
    text = render_inventory(POD, VARIABLES)
    assert '!unsafe "{{ odd }}:6817"' in text and whole is not None
    found = yaml.safe_load(text.replace("!unsafe ", ""))["all"]
    assert found["vars"]["time_zone"] == "UTC" and found["vars"]["time_serve"] is False
    assert found["children"]["compute"]["vars"] == {"slurm_node_server": "hub:6817"}
    assert found["hosts"]["hub"]["time_serve"] is True and found["hosts"]["hub"]["names_hosts"] == [
        {"name": "hub"}
    ]
    assert found["hosts"]["n2"] == {"ansible_host": "10.9.0.3", "ogai_node_class": "hgx-8"}
    assert found["hosts"]["n3"]["time_zone"] == "CET"
    assert {name: sorted(group["hosts"]) for name, group in found["children"].items()} == {
        "controller": ["hub"],
        "head": ["hub"],
        "class_default": ["hub"],
        "compute": ["n1", "n2", "n3"],
        "class_hgx_8": ["n1", "n2", "n3"],
    }


@pytest.mark.real
def test_ansible_gives_each_host_what_was_meant(tmp_path: Path) -> None:
    beside = Path(sys.executable).with_name("ansible-inventory")
    program = beside if beside.exists() else shutil.which("ansible-inventory")
    if program is None:
        pytest.skip("there is no ansible-inventory here")
    path = tmp_path / "inventory.yaml"
    path.write_text(render_inventory(POD, VARIABLES), encoding="utf-8")
    told = subprocess.run([program, "-i", path, "--list"], capture_output=True, text=True, check=True)
    hosts = json.loads(told.stdout)["_meta"]["hostvars"]
    for name, variables in VARIABLES.items():
        for variable, text in variables.items():
            found = hosts[name][variable]
            assert (found.get("__ansible_unsafe") if isinstance(found, dict) else found) == json.loads(text)


def test_a_thousand_nodes_are_written_once_each() -> None:
    wide = Cluster(
        name="pod",
        nodes=(
            NodeGroup(names="hub", roles=("head",)),
            NodeGroup(names="n[0001-1000]", roles=("compute",), addresses="10.9.[1-4].[1-250]"),
        ),
    )
    variables = {f"n{index:04}": {"slurm_node_server": '"hub:6817"'} for index in range(1, 1001)}
    text = render_inventory(wide, variables)
    assert text.count("hub:6817") == 1 and len(listed(read_back(text))) == 1001

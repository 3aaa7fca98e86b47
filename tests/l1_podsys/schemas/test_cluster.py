from typing import Any

import msgspec
import pytest

from l0_infra.core.documents import parse_document, render_example
from l0_infra.core.documents.own_faults import part_faults
from l0_infra.core.errors import DocumentError
from l1_podsys.schemas import Cluster, Network, NodeGroup

GOOD: dict[str, Any] = {
    "kind": "cluster",
    "name": "pod7",
    "nodes": [
        {"names": "head", "roles": ["head", "login"], "addresses": "10.7.0.250"},
        {
            "names": "node[001-003,010]",
            "roles": ["compute"],
            "node_class": "h100",
            "addresses": "10.7.0.[1-3,10]",
            "bmc_addresses": "10.8.0.[1-3,10]",
        },
    ],
    "networks": [
        {
            "purpose": "management",
            "cidr": "10.7.0.0/24",
            "gateway": "10.7.0.254",
            "dhcp": {"first": "10.7.0.100", "last": "10.7.0.199"},
        },
        {"purpose": "compute", "cidr": "fd00:7::/64"},
    ],
    "scheduler": {"controller": "head"},
    "storage": [{"mountpoint": "/home", "server_node": "head", "source": "/srv/home"}],
    "users": [{"name": "ada", "uid": 2001}],
}


def faults(**changes: Any) -> list[str]:
    return [str(fault) for fault in part_faults(msgspec.convert(GOOD | changes, Cluster))]


def test_a_good_cluster_has_no_faults() -> None:
    assert faults() == []


def test_a_group_lists_its_nodes_with_their_addresses_and_padding() -> None:
    nodes = msgspec.convert(GOOD, Cluster).nodes[1].listed()
    assert [(n.name, n.address, n.bmc_address, n.node_class) for n in nodes][-1] == (
        *("node010", "10.7.0.10", "10.8.0.10"),
        "h100",
    )


def test_names_and_addresses_are_unique_across_groups() -> None:
    again = {"names": "node[003-004]", "roles": ["compute"], "addresses": "10.7.0.4,10.8.0.10"}
    found = faults(nodes=[*GOOD["nodes"], again])
    assert len(found) == 2
    assert "nodes[2].names: found `node003`" in found[0]
    assert "nodes[2].addresses: found `10.8.0.10`, already in nodes[1].bmc_addresses" in found[1]


def test_two_spellings_of_one_address_are_one_address() -> None:
    groups = [
        {"names": "h", "roles": ["head"], "addresses": "fd00::1"},
        {"names": "w", "roles": ["compute"], "addresses": "FD00:0::1"},
    ]
    assert len(faults(nodes=groups, scheduler={}, storage=[])) == 1


@pytest.mark.parametrize(
    ("group", "path"),
    [
        ({"names": "x1", "addresses": "999.1.1.1"}, "addresses"),
        ({"names": "x1", "bmc_addresses": "10.8.0.1.1"}, "bmc_addresses"),
        ({"names": "x[1-3", "addresses": "10.7.0.9"}, "names"),
        ({"names": "x[3-1]"}, "names"),
        ({"names": "x_1"}, "names"),
        ({"names": "x[1-3]", "addresses": "10.7.1.[1-2]"}, "addresses"),
    ],
)
def test_a_bad_group_is_reported_where_it_is_bad(group: Any, path: str) -> None:
    assert [fault.path for fault in msgspec.convert(group | {"roles": ["compute"]}, NodeGroup).faults()] == [
        (path,)
    ]


@pytest.mark.parametrize(
    ("network", "paths"),
    [
        ({"cidr": "10.7.0.1/24"}, [("cidr",)]),
        ({"cidr": "10.7.0.0"}, [("cidr",)]),
        ({"cidr": "10.7.0.0/33"}, [("cidr",)]),
        ({"cidr": "10.7.0.0/24", "gateway": "10.9.0.1"}, [("gateway",)]),
        ({"cidr": "10.7.0.0/24", "gateway": "10.7.0"}, [("gateway",)]),
        ({"cidr": "10.7.0.0/24", "dhcp": {"first": "10.7.0.9", "last": "10.7.1.9"}}, [("dhcp", "last")]),
        ({"cidr": "10.7.0.0/24", "dhcp": {"first": "10.7.0.9", "last": "10.7.0.1"}}, [("dhcp",)]),
        (
            {"cidr": "10.7.0.0/24", "dhcp": {"first": "10.7.0.9", "last": "fd00::1"}},
            [("dhcp", "last"), ("dhcp",)],
        ),
        ({"cidr": "10.7.0.0/24", "dhcp": {"first": "10.7.0.999", "last": "10.7.0.1"}}, [("dhcp", "first")]),
    ],
)
def test_a_bad_network_is_reported_where_it_is_bad(network: Any, paths: list[tuple[str, ...]]) -> None:
    one = msgspec.convert({"purpose": "management"} | network, Network)
    nested = [fault.path for fault in one.dhcp.faults()] if one.dhcp else []
    assert [fault.path for fault in one.faults()] + [("dhcp", *path) for path in nested] == paths


def test_overlapping_networks_are_reported() -> None:
    wide = {"purpose": "storage", "cidr": "10.0.0.0/8"}
    assert faults(networks=[*GOOD["networks"], wide]) == [
        "networks[2].cidr: found 10.0.0.0/8, which overlaps 10.7.0.0/24 of networks[0]; "
        "expected networks without common addresses"
    ]


def test_everything_wrong_is_said_at_once() -> None:
    nodes = [{"names": "node[1-2]", "addresses": "10.7.0.[1-2]"}, {"names": "node2"}]
    nodes = [node | {"roles": ["compute"]} for node in nodes]
    users = [{"name": "ada", "uid": 2001}, {"name": "ada", "uid": 2002}, {"name": "bob", "uid": 2001}]
    storage = [{"mountpoint": "/home", "server_node": "node3", "source": "/srv"}]
    places = [text.split(":")[0] for text in faults(nodes=nodes, users=users, storage=storage)]
    assert places == [
        *("nodes[1].names", "nodes", "scheduler.controller", "storage[0].server_node"),
        *("users[1].name", "users[2].uid"),
    ]


TEXT = """\
kind: cluster
name: pod7
nodes:
  - {names: "node[1-2]", roles: [head], addresses: "10.7.0.1,999.1.1.1"}
networks:
  - purpose: management
    cidr: 10.7.0.0/24
    dhcp: {first: 10.7.0.200, last: 10.7.0.100}
scheduler:
  controller: nod1
"""


def test_faults_are_told_by_line_and_column_with_the_nearest_name() -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(TEXT, source="pod7.yaml", expect=Cluster)
    assert [fault.where for fault in caught.value.faults] == [
        "pod7.yaml:4:52",
        "pod7.yaml:8:11",
        "pod7.yaml:10:15",
    ]
    assert caught.value.faults[-1].hint == "did you mean `node1`?"


def test_the_generated_example_is_a_good_cluster() -> None:
    text = render_example(Cluster, schema="cluster.schema.json")
    assert parse_document(text, source="example", expect=Cluster).nodes[0].listed()


@pytest.mark.parametrize(("text", "seconds"), [("1296000", 1296000), ("15d", 1296000), ("2h", 7200)])
def test_a_duration_is_a_whole_number_where_one_is_wanted(text: str, seconds: int) -> None:
    document = f"""
kind: cluster
name: pod
nodes: [{{names: a1, roles: [head]}}]
monitoring: {{retention_s: {text}}}
scheduler: {{partitions: [{{name: main, time_limit_s: {text}}}]}}
"""
    cluster = parse_document(document, source="x", expect=Cluster)
    assert (cluster.monitoring.retention_s, cluster.scheduler.partitions[0].time_limit_s) == (
        seconds,
        seconds,
    )

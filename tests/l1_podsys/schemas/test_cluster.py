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
    found = faults(nodes=[*GOOD["nodes"], again], networks=[])
    assert len(found) == 2
    assert "nodes[2].names: found `node003`" in found[0]
    assert "nodes[2].addresses: found `10.8.0.10`, already in nodes[1].bmc_addresses" in found[1]


def test_two_spellings_of_one_address_are_one_address() -> None:
    groups = [
        {"names": "h", "roles": ["head"], "addresses": "fd00::1"},
        {"names": "w", "roles": ["compute"], "addresses": "FD00:0::1"},
    ]
    assert len(faults(nodes=groups, scheduler={}, storage=[], networks=[])) == 1


@pytest.mark.parametrize(
    ("group", "path"),
    [
        ({"names": "x1", "addresses": "999.1.1.1"}, "addresses"),
        ({"names": "x1", "bmc_addresses": "10.8.0.1.1"}, "bmc_addresses"),
        ({"names": "x[1-3", "addresses": "10.7.0.9"}, "names"),
        ({"names": "x[3-1]"}, "names"),
        ({"names": "x[1-3],x2"}, "names"),
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


WORKER = {"names": "node[001-002]", "roles": ["compute"], "node_class": "h100", "addresses": "10.7.0.[1-2]"}


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEq1W0"
PRIVATE = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE=\n"
A_KEY = "expected one line such as `ssh-ed25519 AAAA… name@host`"
A_ZONE = "expected a time zone such as `Europe/Berlin` or `UTC`"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"scheduler": {"controller": "node001"}},
            "scheduler.controller: found `node001`, whose roles are compute; expected a node with the role `head`",
        ),
        (
            {"scheduler": {"switches_from": "lldp", "switches": [{"name": "leaf1", "nodes": "node001"}]}},
            "scheduler.switches_from: found `lldp` beside `switches`; expected one of the two",
        ),
        (
            {"scheduler": {"partitions": [{"name": "gpu", "node_classes": ["h100", "h200"]}]}},
            "scheduler.partitions[0].node_classes[1]: found `h200`; expected a class of compute nodes: h100",
        ),
        (
            {"scheduler": {"slurm_uid": 2001}},
            "users[0].uid: found `2001`, that of the account `slurm`; expected a number that nothing else has",
        ),
        (
            {"scheduler": {"slurm_uid": 990, "munge_uid": 990}},
            "scheduler.munge_uid: found `990`, that of slurm; expected a number of its own",
        ),
        (
            {"users": [{"name": "munge", "uid": 2001}]},
            "users[0].name: found `munge`, an account of the system; expected a person",
        ),
        (
            {"networks": [{"purpose": "management", "cidr": "10.7.1.0/24"}]},
            "nodes[0].addresses: found `10.7.0.250`; expected addresses inside 10.7.1.0/24",
        ),
        (
            {"networks": [{"purpose": "bmc", "cidr": "10.8.0.0/29"}]},
            "nodes[1].bmc_addresses: found `10.8.0.10`; expected addresses inside 10.8.0.0/29",
        ),
        (
            {"storage": [{"mountpoint": "/usr/local/shared", "source": "nas:/x"}]},
            "storage[0].mountpoint: found `/usr/local/shared`, which the system of each node needs for itself; "
            "expected a folder of its own: `/shared`",
        ),
        (
            {"storage": [{"mountpoint": "/shared/", "source": "nas:/x"}]},
            "storage[0].mountpoint: found `/shared/`; expected `/shared`",
        ),
        (
            {"storage": [{"mountpoint": "/shared", "source": "/srv/x"}]},
            "storage[0].source: found `/srv/x`; expected `host:/path`",
        ),
        (
            {"storage": [{"mountpoint": "/shared", "source": "head:/srv", "server_node": "head"}]},
            "storage[0].source: found `head:/srv`; expected an absolute path on head",
        ),
        (
            {"time": {"servers": ["ntp.example.org", "10.7.0.999", "ntp.example.org"]}},
            "time.servers[1]: found `10.7.0.999`; expected an IPv4 or IPv6 address, or a host name",
        ),
        ({"time": {"zone": "Mars/Base"}}, f"time.zone: found `Mars/Base`; {A_ZONE}"),
        ({"time": {"zone": "../../shadow"}}, f"time.zone: found `../../shadow`; {A_ZONE}"),
        (
            {"tuning": {"sysctl": {"vm.swappiness": "1\nkernel.panic = 1"}}},
            "tuning.sysctl.vm.swappiness: found 2 lines; expected a value on one line",
        ),
        (
            {"tuning": {"sysctl": {"vm swappiness": "1"}}},
            "tuning.sysctl.vm swappiness: found `vm swappiness`; expected a name such as `vm.swappiness`",
        ),
        (
            {"users": [{"name": "ada", "uid": 2001, "public_keys": ["~/.ssh/id_ed25519.pub"]}]},
            f"users[0].public_keys[0]: found `~/.ssh/id_ed25519.pub`; {A_KEY}",
        ),
        (
            {"users": [{"name": "ada", "uid": 2001, "public_keys": [f"{KEY}\n{KEY}"]}]},
            f"users[0].public_keys[0]: found `ssh-ed25519 AAAAC3NzaC1l…`; {A_KEY}",
        ),
        (
            {"users": [{"name": "ada", "uid": 2001, "public_keys": [PRIVATE]}]},
            f"users[0].public_keys[0]: found `-----BEGIN OPENSSH PRIVA…`; {A_KEY}",
        ),
        (
            {"nodes": [GOOD["nodes"][0], WORKER | {"machines": {"node003": {"serial": "0012345"}}}]},
            "nodes[1].machines.node003: found `node003`; expected a node of this group",
        ),
    ],
)
def test_parts_that_disagree_are_told_where_and_what_would_agree(changes: Any, told: str) -> None:
    assert told in [text.partition("\n")[0] for text in faults(**changes)]


@pytest.mark.parametrize(
    "key",
    [
        KEY,
        f"{KEY} ada@laptop (old)",
        f'from="10.0.0.0/8",command="echo a b" {KEY}',
        "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY=",
        "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5 token",
    ],
)
def test_what_sshd_takes_for_a_key_is_taken(key: str) -> None:
    assert faults(users=[{"name": "ada", "uid": 2001, "public_keys": [key]}]) == []


def test_settings_and_zones_that_there_are_are_taken() -> None:
    names = ("vm.swappiness", "net.ipv4.conf.eth0/100.rp_filter", "net/core/rmem_max", "fs.mqueue.msg_max")
    assert faults(tuning={"sysctl": dict.fromkeys(names, "4096 87380 6291456")}) == []
    assert faults(time={"zone": "Europe/Berlin"}) == []


def test_one_serial_number_is_one_machine_and_one_hardware_address_one_port() -> None:
    machines = {
        "node001": {"serial": "0012345", "mac": "12:34:56:12:34:56", "rack": "010"},
        "node002": {"serial": "0012345", "mac": "12-34-56-12-34-56", "rack": "010"},
    }
    groups = [GOOD["nodes"][0], WORKER | {"machines": machines}]
    assert [text.split(";")[0] for text in faults(nodes=groups)] == [
        "nodes[1].machines.node002.serial: found `0012345`, already that of node001",
        "nodes[1].machines.node002.mac: found `12-34-56-12-34-56`, already that of node001",
    ]
    listed = msgspec.convert(GOOD | {"nodes": groups}, Cluster).nodes[1].listed()[0]
    assert (listed.serial, listed.mac, listed.rack) == ("0012345", "12:34:56:12:34:56", "010")


def test_a_network_tells_nothing_of_names_and_of_addresses_of_another_kind() -> None:
    nodes = [
        {"names": "head", "roles": ["head"], "addresses": "head.example.org"},
        {"names": "node1", "roles": ["compute"], "addresses": "fd00::1"},
    ]
    networks = [
        {"purpose": "management", "cidr": "10.7.1.0/24"},
        {"purpose": "compute", "interfaces": ["ib0"]},
    ]
    assert faults(nodes=nodes, networks=networks, storage=[]) == []


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
    found = (cluster.monitoring.retention_s, cluster.scheduler.partitions[0].time_limit_s)
    assert found == (seconds, seconds)

"""Where packets leave, and which servers are mounted."""

from ipaddress import ip_address

import pytest

from l0_infra.core.nodeset import natural_key
from l0_infra.facts.routes import default_interface, interface_to, parse_routes, storage_servers

ROUTES = parse_routes(
    "default via 10.3.0.1 dev eno2 proto dhcp metric 200\n"
    "default proto static metric 100 \\\tnexthop via 10.3.0.1 dev eno1 weight 1"
    " \\\tnexthop via 10.4.0.1 dev eno3 weight 1\n"
    "10.3.0.0/16 dev eno1 proto kernel scope link src 10.3.0.9\n"
    "10.3.7.0/24 dev ib0 scope link\n"
    "10.3.8.4 dev ib1\n"
    "blackhole 10.9.0.0/16\n"
    "unreachable default dev lo metric 1\n"
    "fd00:5::/64 dev eno4 proto kernel metric 256\n"
    "default via fe80::1 dev eno4 proto ra metric 50\n"
    "garbled dev x\n10.300.0.0/16 dev y\n"
)


def test_the_default_route_of_the_least_metric_counts_and_ipv4_first() -> None:
    assert default_interface(ROUTES) == "eno1"
    assert default_interface(parse_routes("default via fe80::1 dev eno4 metric 50")) == "eno4"
    assert default_interface(()) is None


@pytest.mark.parametrize(
    ("address", "interface"),
    [
        ("10.3.7.5", "ib0"),
        ("10.3.8.4", "ib1"),
        ("10.3.8.5", "eno1"),
        ("8.8.8.8", "eno1"),
        ("fd00:5::7", "eno4"),
    ],
)
def test_the_longest_prefix_counts(address: str, interface: str) -> None:
    assert interface_to(ip_address(address), ROUTES) == interface


def test_nothing_leads_where_no_route_does() -> None:
    assert interface_to(ip_address("8.8.8.8"), parse_routes("10.0.0.0/8 dev eno1")) is None


@pytest.mark.parametrize(
    ("mount", "servers"),
    [
        ("10.5.0.2:/data /data nfs4 rw,addr=10.5.0.3,clientaddr=10.5.9.9 0 0", ["10.5.0.2", "10.5.0.3"]),
        ("nas:/data /data nfs rw,mountaddr=10.5.0.4,addr=10.5.0.4 0 0", ["10.5.0.4"]),
        ("10.6.0.1@o2ib:10.6.0.2@o2ib:/fs /fs lustre rw,flock 0 0", ["10.6.0.1", "10.6.0.2"]),
        ("10.7.0.1:6789,10.7.0.2:6789:/ /c ceph rw 0 0", ["10.7.0.1", "10.7.0.2"]),
        ("[fd00:8::5]:/data /data nfs4 rw,addr=fd00:8::5 0 0", ["fd00:8::5"]),
        ("/dev/sda1 / ext4 rw 0 0", []),
        ("tmpfs /run tmpfs rw,size=10.1.1.1 0 0", []),
        ("torn", []),
    ],
)
def test_servers_of_network_file_systems(mount: str, servers: list[str]) -> None:
    assert [str(one) for one in storage_servers(mount)] == servers


def test_natural_order() -> None:
    names = ["mlx5_10", "mlx5_2", "ib1", "mlx5_bond_0", "mlx4_0", "mlx5_02", "", "9" * 40]
    assert sorted(names, key=natural_key) == [
        "",
        "9" * 40,
        "ib1",
        "mlx4_0",
        "mlx5_2",
        "mlx5_02",
        "mlx5_10",
        "mlx5_bond_0",
    ]

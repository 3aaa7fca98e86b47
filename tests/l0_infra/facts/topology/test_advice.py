"""Settings that follow from facts, and that none follows from what is not known."""

from typing import Literal

import msgspec
import pytest

from l0_infra.facts.topology import advise
from l0_infra.schemas import FabricPort, Gid, NetworkInterface


def nic(name: str, *addresses: str) -> NetworkInterface:
    return NetworkInterface(name=name, addresses=addresses)


def port(
    name: str,
    layer: Literal["infiniband", "ethernet"] | None = "infiniband",
    purpose: Literal["compute", "storage"] | None = "compute",
    state: str = "active",
    gids: tuple[Gid, ...] = (),
) -> FabricPort:
    return FabricPort(
        device=name,
        port=1,
        link_layer=layer,
        purpose=purpose,
        purpose_reason="all alike",
        state=state,
        physical_state="linkup",
        gids=gids,
        interface=f"net-{name}",
    )


def gid(index: int, address: str = "0000:0000:0000:0000:0000:ffff:0a00:0001", kind: str = "RoCE v2") -> Gid:
    return Gid(index=index, gid=address, kind=kind)


def values(
    vendors: set[str],
    ports: list[FabricPort] | None = None,
    interfaces: list[NetworkInterface] | None = None,
    default: str | None = None,
) -> dict[str, str]:
    return {one.name: one.value for one in advise(vendors, ports, interfaces or [], default)}


SOCKETS = {
    "default route": ([nic("eno1", "10.0.0.2/24"), nic("eno2", "10.1.0.2/24")], "eno2", "=eno2"),
    "default route through a tunnel": ([nic("tun0", "10.0.0.2/24")], "tun0", None),
    "no default route, one address": (
        [nic("docker0", "172.17.0.1/16"), nic("eno1", "10.0.0.2/24"), nic("eno2", "fe80::1/64")],
        None,
        "=eno1",
    ),
    "no default route, two addresses": ([nic("eno1", "10.0.0.2/24"), nic("eno2", "10.1.0.2/24")], None, None),
    "rather not over InfiniBand": ([nic("ib0", "10.9.0.2/24"), nic("eno1", "10.0.0.2/24")], None, "=eno1"),
    "nothing but InfiniBand": ([nic("ib0", "10.9.0.2/24"), nic("eno1")], None, "=ib0"),
    "addresses not read": ([NetworkInterface(name="eno1")], None, None),
    "nothing known": ([], None, None),
}


@pytest.mark.parametrize("name", SOCKETS)
def test_the_interface_that_other_nodes_reach(name: str) -> None:
    interfaces, default, expected = SOCKETS[name]
    assert values({"nvidia"}, [], interfaces, default).get("NCCL_SOCKET_IFNAME") == expected
    assert values({"amd"}, [], interfaces, default).get("NCCL_SOCKET_IFNAME") == expected
    assert values({"ascend"}, [], interfaces, default).get("HCCL_SOCKET_IFNAME") == expected


def test_only_active_ports_of_the_compute_fabric_are_named_and_the_rest_with_its_reason() -> None:
    ports = [
        port("mlx5_0"),
        port("mlx5_1", purpose="storage"),
        port("mlx5_2", state="down"),
        port("mlx5_3", purpose=None),
    ]
    (one,) = advise({"nvidia"}, ports, [], None)
    assert (one.name, one.value) == ("NCCL_IB_HCA", "=mlx5_0:1")
    assert "mlx5_1:1 (storage), mlx5_2:1 (not active), mlx5_3:1 (purpose not known)" in one.reason
    assert one.source.startswith("https://")


UNKNOWN = {
    "ports not read": None,
    "no ports": [],
    "purpose not known": [port("a", purpose=None)],
    "state not known": [port("a"), msgspec.structs.replace(port("b"), state=None)],
    "none active": [port("a", state="initializing")],
    "no verbs of NCCL": [port("rdmap0s6", layer=None)],
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_no_ports_are_named_where_facts_are_unknown(name: str) -> None:
    assert values({"nvidia"}, UNKNOWN[name]) == {}


GIDS = {
    "the same on all": ([(gid(1), gid(3)), (gid(3), gid(5))], "3"),
    "several on all": ([(gid(5), gid(3)), (gid(3), gid(5))], "3"),
    "different ones": ([(gid(3),), (gid(5),)], None),
    "of version 1": ([(gid(2, kind="IB/RoCE v1"),)], None),
    "IPv6": ([(gid(3, "fd00:0000:0000:0000:0000:0000:0000:0001"),)], None),
    "not read on one": ([(gid(3),), ()], None),
}


@pytest.mark.parametrize("name", GIDS)
def test_the_gid_index_all_ports_share(name: str) -> None:
    gids, expected = GIDS[name]
    ports = [port(f"mlx5_{at}", "ethernet", gids=told) for at, told in enumerate(gids)]
    assert values({"nvidia"}, ports).get("NCCL_IB_GID_INDEX") == expected


def test_gids_matter_on_ethernet_only() -> None:
    assert values({"nvidia"}, [port("mlx5_0", gids=(gid(3),))]).keys() == {"NCCL_IB_HCA"}


def test_ascend_is_told_the_address_where_there_is_one() -> None:
    one = values({"ascend"}, None, [nic("eno1", "10.0.0.2/24", "fd00::2/64")], "eno1")
    assert one == {"HCCL_SOCKET_IFNAME": "=eno1", "HCCL_IF_IP": "10.0.0.2"}
    two = values({"ascend"}, None, [nic("eno1", "10.0.0.2/24", "10.0.0.3/24")], "eno1")
    assert two == {"HCCL_SOCKET_IFNAME": "=eno1"}


def test_a_node_without_accelerators_needs_none() -> None:
    assert values(set(), [port("mlx5_0")], [nic("eno1", "10.0.0.2/24")], "eno1") == {}

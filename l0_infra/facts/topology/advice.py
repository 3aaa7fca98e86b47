"""Settings of NCCL, RCCL and HCCL that follow from the facts of a node; none where the facts do not tell.

RCCL takes NCCL's variables. In all of these `=` before a name means that name, not all that begin with it.
"""

from collections.abc import Iterator, Sequence, Set
from functools import reduce
from ipaddress import IPv4Interface, IPv6Interface, ip_interface

from l0_infra.facts.fabric import is_active
from l0_infra.schemas import Advice, FabricPort, NetworkInterface

__all__ = ["advise"]

NCCL = "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html"
HCCL = "https://www.hiascend.com/document/detail/zh/canncommercial/850/maintenref/envvar/envref_07_0073.html"
VIRTUAL = (
    *("br-", "cali", "cni", "docker", "dummy", "flannel", "ifb", "kube", "lo", "lxc", "podman", "tailscale"),
    *("tap", "tun", "veth", "virbr", "vnet", "vxlan", "wg"),
)
"""How the names of interfaces begin that lead to containers and tunnels, not to other nodes."""
IPV4_GID = "0000:0000:0000:0000:0000:ffff:"

Chosen = tuple[str, str]
"""An interface, and why it is the one."""


def advise(
    vendors: Set[str],
    ports: Sequence[FabricPort] | None,
    interfaces: Sequence[NetworkInterface],
    default: str | None,
) -> tuple[Advice, ...]:
    """Derive the settings for accelerators of these vendors; `default` has the default route, None: not known."""
    chosen = _cluster_interface(interfaces, ports or (), default)
    found: list[Advice] = []
    if vendors & {"nvidia", "amd"}:
        found += [*_socket("NCCL_SOCKET_IFNAME", chosen, NCCL), *_fabric(ports or ())]
    if "ascend" in vendors:
        found += [*_socket("HCCL_SOCKET_IFNAME", chosen, HCCL), *_host_address(chosen, interfaces)]
    return tuple(found)


def _cluster_interface(
    interfaces: Sequence[NetworkInterface], ports: Sequence[FabricPort], default: str | None
) -> Chosen | None:
    """Choose the interface that other nodes reach this one by."""
    if default and not default.startswith(VIRTUAL):
        return default, "the default route leaves by it, so other nodes reach this one by its address"
    fast = {port.interface for port in ports if port.link_layer == "infiniband"}
    with_address = [
        one.name for one in interfaces if _addresses(one) and not one.name.startswith(VIRTUAL) and not default
    ]
    others = [name for name in with_address if name not in fast and not name.startswith("ib")]
    only = others or with_address
    return (
        (only[0], "it is the only one with an address that leads to other nodes") if len(only) == 1 else None
    )


def _socket(name: str, chosen: Chosen | None, source: str) -> Iterator[Advice]:
    if chosen:
        yield Advice(name=name, value=f"={chosen[0]}", reason=f"{chosen[0]}: {chosen[1]}", source=source)


def _host_address(chosen: Chosen | None, interfaces: Sequence[NetworkInterface]) -> Iterator[Advice]:
    found = [one for port in interfaces if chosen and port.name == chosen[0] for one in _addresses(port)]
    own = [str(one.ip) for one in found if one.version == 4]
    if chosen and len(own) == 1:
        reason = f"the address of {chosen[0]}; it counts before HCCL_SOCKET_IFNAME, and differs on every node"
        yield Advice(name="HCCL_IF_IP", value=own[0], reason=reason, source=HCCL)


def _fabric(ports: Sequence[FabricPort]) -> Iterator[Advice]:
    compute = [port for port in ports if port.purpose == "compute" and port.link_layer]
    activity = {(port.device, port.port): is_active(port) for port in compute}
    active = [port for port in compute if activity[port.device, port.port]]
    if not active or None in activity.values():
        return
    names = ",".join(f"{port.device}:{port.port}" for port in active)
    yield Advice(name="NCCL_IB_HCA", value=f"={names}", reason=_why(ports, active), source=NCCL)
    roce = [port for port in active if port.link_layer == "ethernet"]
    shared = reduce(frozenset.intersection, (_ipv4_gids(port) for port in roce)) if roce else frozenset()
    if shared:
        reason = (
            f"on {'every' if len(roce) > 1 else 'this'} port of the compute fabric GID {min(shared)} is RoCE v2 with an"
            " IPv4 address; NCCL before 2.21 takes index 0 unless told, later versions find it"
        )
        yield Advice(name="NCCL_IB_GID_INDEX", value=str(min(shared)), reason=reason, source=NCCL)


def _why(ports: Sequence[FabricPort], active: Sequence[FabricPort]) -> str:
    left_out = [f"{port.device}:{port.port} ({_lack(port)})" for port in ports if port not in active]
    rest = f"; left out: {', '.join(left_out)}" if left_out else ""
    return f"the active ports of the compute fabric ({active[0].purpose_reason}){rest}"


def _lack(port: FabricPort) -> str:
    return "not active" if port.purpose == "compute" else port.purpose or "purpose not known"


def _ipv4_gids(port: FabricPort) -> frozenset[int]:
    return frozenset(
        gid.index for gid in port.gids or () if gid.kind == "RoCE v2" and gid.gid.startswith(IPV4_GID)
    )


def _addresses(interface: NetworkInterface) -> list[IPv4Interface | IPv6Interface]:
    """List its addresses without those that hold on the link only."""
    found = [ip_interface(word) for word in interface.addresses or ()]
    return [one for one in found if not one.ip.is_link_local]

"""Whether the wanted networks are what is really used: links up, addresses in place, routes over them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from l0_infra.schemas import NodeFacts
from l1_podsys.bringup import interface_names
from l1_podsys.gates.addresses import address_in, held_in
from l1_podsys.gates.catalogue import Severity, verdict
from l1_podsys.gates.look import Look
from l1_podsys.gates.view import NodeView
from l1_podsys.schemas import Cluster, Network, Verdict

__all__ = ["judge_networks", "routes_of", "usual_speeds"]

PASSIVE = frozenset(("unknown", "up"))
"""States of a link that works; point-to-point and virtual ones are `unknown`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Port:
    """An interface or an RDMA device, whichever the document means."""

    name: str
    up: bool
    state: str
    speed: int | None


def routes_of(cluster: Cluster, peers: Sequence[NodeFacts]) -> tuple[str, ...]:
    """Choose the address in each wanted network to which the way is asked: that of the first peer that has one."""
    found = (
        next((address for peer in peers if (address := address_in(network, peer))), None)
        for network in _wanted(cluster)
    )
    return tuple(dict.fromkeys(address for address in found if address))


def judge_networks(
    cluster: Cluster, view: NodeView, peers: Sequence[NodeFacts], speeds: Mapping[str, int]
) -> Iterator[Verdict]:
    """Judge one node; `peers` are asked-for ends of routes, `speeds` the usual speed of each network by purpose."""
    facts, look = view.facts, view.look
    if facts is None:
        return
    for network in _wanted(cluster):
        ports = _ports_of(network, facts)
        if network.interfaces:
            yield _link(view.name, network, ports, speeds.get(network.purpose))
        if network.cidr is not None:
            yield _address(view.name, network, facts)
            if look is not None:
                yield from _routes(view.name, network, facts, look, peers)


def usual_speeds(cluster: Cluster, views: Sequence[NodeView]) -> Mapping[str, int]:
    """Return the speed that more than half of the ports of each wanted network have, by purpose."""
    usual: dict[str, int] = {}
    for network in _wanted(cluster):
        speeds = [
            port.speed
            for view in views
            if view.facts is not None
            for port in _ports_of(network, view.facts)
            if port.speed is not None
        ]
        most = max(set(speeds), key=speeds.count, default=None)
        if most is not None and speeds.count(most) * 2 > len(speeds):
            usual[network.purpose] = most
    return usual


def _ports_of(network: Network, facts: NodeFacts) -> tuple[_Port, ...]:
    """List the ports that carry a network on a node: those named that it has, missing ones as down."""
    return tuple(_port(name, facts) for name in interface_names(network))


def _port(name: str, facts: NodeFacts) -> _Port:
    for interface in facts.interfaces:
        if interface.name == name:
            state = interface.state or "unknown"
            return _Port(name=name, up=state in PASSIVE, state=state, speed=interface.speed_bits_per_s)
    for port in facts.fabric or ():
        if port.device == name:
            state = port.state or "unknown"
            return _Port(name=name, up=state == "active", state=state, speed=port.rate_bits_per_s)
    return _Port(name=name, up=False, state="missing", speed=None)


def _wanted(cluster: Cluster) -> tuple[Network, ...]:
    return tuple(network for network in cluster.networks if network.purpose != "bmc")


def _link(node: str, network: Network, ports: Sequence[_Port], usual: int | None) -> Verdict:
    named = f"network.{network.purpose}-link"
    down = [port for port in ports if not port.up]
    if down:
        words = ", ".join(f"{port.name} is {port.state}" for port in down)
        return verdict(node, "network.link", "critical", words, named=named)
    slow = [port for port in ports if usual and port.speed is not None and port.speed < usual]
    if slow:
        words = ", ".join(f"{port.name} runs at {_rate(port.speed)}" for port in slow)
        expected = f"{_rate(usual)}, as the others"
        return verdict(node, "network.link", "critical", words, named=named, expected=expected)
    words = ", ".join(f"{port.name} up at {_rate(port.speed)}" for port in ports)
    return verdict(node, "network.link", "ok", words, named=named)


def _rate(bits_per_s: int | None) -> str:
    return "a speed it does not tell" if bits_per_s is None else f"{bits_per_s / 1e9:g} Gbit/s"


def _address(node: str, network: Network, facts: NodeFacts) -> Verdict:
    named = f"network.{network.purpose}-address"
    expected = f"an address in {network.cidr}"
    if network.interfaces:
        expected += f" on {', '.join(network.interfaces)}"
    held = tuple(held_in(network, facts))
    if not held:
        if all(interface.addresses is None for interface in facts.interfaces):
            return verdict(node, "network.address", "unknown", "addresses were not read", named=named)
        return verdict(node, "network.address", "critical", "none", expected=expected, named=named)
    words = ", ".join(f"{address} on {interface}" for interface, address in held)
    wrong = [name for name, _ in held if network.interfaces and name not in _carriers(network, facts)]
    severity: Severity = "critical" if len(wrong) == len(held) else "ok"
    return verdict(node, "network.address", severity, words, expected=expected, named=named)


def _carriers(network: Network, facts: NodeFacts) -> frozenset[str]:
    """Name the interfaces that may carry a network: those named, and those of the RDMA devices that are named."""
    names = frozenset(interface_names(network))
    behind = (port.interface for port in facts.fabric or () if port.device in names and port.interface)
    return names | frozenset(behind)


def _routes(
    node: str, network: Network, facts: NodeFacts, look: Look, peers: Sequence[NodeFacts]
) -> Iterator[Verdict]:
    named = f"network.{network.purpose}-route"
    own = {address for _, address in held_in(network, facts)}
    carriers = (
        _carriers(network, facts) if network.interfaces else {name for name, _ in held_in(network, facts)}
    )
    for peer in peers:
        address = address_in(network, peer)
        lines = look.lines(f"route {address}") if address else None
        if address is None or lines is None or address in own:
            continue
        used = _device(lines)
        words = f"{address} over {used}" if used else f"{address}: {' '.join(lines) or 'no answer'}"
        good = used in carriers
        expected = f"over {', '.join(sorted(carriers)) or 'an interface of the network'}"
        yield verdict(
            node, "network.route", "ok" if good else "critical", words, expected=expected, named=named
        )
        return


def _device(lines: Sequence[str]) -> str | None:
    words = lines[0].split() if lines else []
    return words[words.index("dev") + 1] if "dev" in words[:-1] else None

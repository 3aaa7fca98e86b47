"""The lab's network on this machine: a subnet nobody uses, a bridge, and the way out."""

import json
from collections.abc import Iterable
from ipaddress import IPv4Network
from pathlib import Path

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.exec import Command, Runner
from l1_podsys.lab.documents import Lab

__all__ = [
    "RUN",
    "any_bridge",
    "apply_network",
    "choose_subnet",
    "parse_routes",
    "probe_routes",
    "remove_network",
    "render_rules",
]

SUBNETS = [IPv4Network(f"10.{second}.{third}.0/24") for second in (217, 218, 219) for third in range(256)]
"""Where labs look for one: private addresses that few sites use."""

RUN = Path("/run")
"""Locked by who chooses a network or removes the last one: labs of all homes on this machine take turns."""

UP = """\
set -e
ip link show "$1" >/dev/null 2>&1 || ip link add "$1" type bridge forward_delay 0
ip address replace "$2" dev "$1"
ip link set "$1" up
echo 1 >"/proc/sys/net/ipv4/conf/$1/forwarding"
nft list table ip "$3" >/dev/null 2>&1 || nft -f - <<'RULES'
{rules}
RULES
if command -v iptables >/dev/null && iptables -w -S FORWARD 2>/dev/null | grep -q '^-P FORWARD DROP'; then
    for way in -i -o; do
        iptables -w -C FORWARD $way "$1" -j ACCEPT 2>/dev/null || iptables -w -I FORWARD $way "$1" -j ACCEPT
    done
fi
"""
"""Where packets passed on are dropped, as Docker has it, those of the bridge are let through."""

DOWN = """\
nft delete table ip "$2" 2>/dev/null
if command -v iptables >/dev/null; then
    for way in -i -o; do
        while iptables -w -D FORWARD $way "$1" -j ACCEPT 2>/dev/null; do :; done
    done
fi
for cable in $(ip -o link show | sed -n "s/^[0-9]*: \\($1-[0-9]*\\)[@:].*/\\1/p"); do ip link delete "$cable"; done
ip link delete "$1" 2>/dev/null
! ip link show "$1" 2>/dev/null
"""


def parse_routes(text: str) -> tuple[IPv4Network, ...]:
    """Read the networks that `ip -json -4 route show table all` knows a way to; the default way is none."""
    wanted = (route["dst"] for route in json.loads(text or "[]"))
    return tuple(IPv4Network(dst, strict=False) for dst in wanted if dst[:1].isdigit() and dst != "0.0.0.0/0")


def choose_subnet(used: Iterable[IPv4Network]) -> IPv4Network:
    """Take the first subnet that overlaps nothing. Raises UnsatisfiableError when there is none."""
    taken = tuple(used)
    for subnet in SUBNETS:
        if not any(subnet.overlaps(other) for other in taken):
            return subnet
    raise UnsatisfiableError(
        "lab network",
        found=f"every network from {SUBNETS[0]} to {SUBNETS[-1]} in use here",
        expected="one that no route of this machine leads to",
        hint="`ip route` shows them; `ogai lab down --all` gives back those of labs",
    )


def render_rules(lab: Lab) -> str:
    """Write the nftables table that lets the hosts out under this machine's address."""
    return "\n".join(
        (
            f"table ip {lab.table} {{",
            "  chain out {",
            "    type nat hook postrouting priority srcnat; policy accept;",
            f'    ip saddr {lab.network} oifname != "{lab.bridge}" masquerade',
            "  }",
            "}",
        )
    )


def probe_routes(runner: Runner) -> tuple[IPv4Network, ...]:
    """Ask this machine which networks it knows a way to."""
    return parse_routes(
        runner.run(Command(argv=("ip", "-json", "-4", "route", "show", "table", "all"))).check().stdout
    )


def any_bridge() -> bool:
    """Tell whether any lab's bridge is on this machine."""
    return any(Path("/sys/class/net").glob("ogl*"))


def apply_network(runner: Runner, lab: Lab) -> None:
    """Make the bridge, its address and the way out; what is there already stays."""
    script = UP.replace("{rules}", render_rules(lab))
    address = f"{lab.gateway}/{lab.subnet.prefixlen}"
    runner.run(Command.script(script, lab.bridge, address, lab.table)).check()


def remove_network(runner: Runner, lab: Lab) -> None:
    """Remove the bridge, the cables left on it and the way out."""
    runner.run(Command.script(DOWN, lab.bridge, lab.table)).check()

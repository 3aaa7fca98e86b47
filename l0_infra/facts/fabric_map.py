"""Ask one node for the whole InfiniBand fabric. It is no part of a node's look: each asking sends a packet to every
device of the fabric, and thousands of nodes would all do so and tell the same."""

from shlex import quote

from l0_infra.core.exec import Runner
from l0_infra.facts.ask import ask
from l0_infra.facts.bundle import Source
from l0_infra.facts.fabric.ibnetdiscover import parse_ibnetdiscover
from l0_infra.schemas import FabricMap, Unread

__all__ = ["probe_fabric_map"]

NAME = "ibnetdiscover.txt"
MOST_BYTES = 64_000_000
"""Some 120 bytes for each end of each cable: enough for a hundred thousand adapters."""

ABSENT = Unread(
    what="ibnetdiscover",
    reason="failed",
    detail="it is not installed",
    hint="install infiniband-diags on a node that is on the fabric",
)


def probe_fabric_map(
    runner: Runner, device: str, port: int, *, limit_s: int = 60, sudo: bool = False
) -> FabricMap | Unread:
    """Ask for the fabric that a port is on, or say why it cannot be read; it takes root, by `sudo` where needed.

    Raises RemoteError when the node cannot be reached.
    """
    command = f"ibnetdiscover -C {quote(device)} -P {port}"
    source = Source(name=NAME, program="ibnetdiscover", command=command)
    answer = ask(runner, (source,), limit_s, sudo=sudo, most_bytes=MOST_BYTES)[NAME]
    if answer.end == "absent":
        return ABSENT
    if trouble := next(answer.unread("ibnetdiscover"), None):
        return trouble
    found = parse_ibnetdiscover(answer.out)
    if not found.switches:
        return Unread(what="ibnetdiscover", reason="garbled", detail="no switch in what it printed")
    return found

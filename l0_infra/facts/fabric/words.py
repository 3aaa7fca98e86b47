"""What every tool says of a port in its own spelling: states, rates, widths, ids, in one spelling."""

import re
from typing import Literal

from l0_infra.facts.tree import integer

__all__ = ["guid", "link_layer", "number", "physical_state", "rate", "state", "width"]

STATES = {
    "nop": "nop",
    "down": "down",
    "init": "initializing",
    "initializing": "initializing",
    "armed": "armed",
    "active": "active",
    "activedefer": "active_defer",
}
PHYSICAL_STATES = {
    "sleep": "sleep",
    "polling": "polling",
    "disabled": "disabled",
    "portconfigurationtraining": "portconfigurationtraining",
    "portconfigurationtrainning": "portconfigurationtraining",
    "armed": "portconfigurationtraining",
    "linkup": "linkup",
    "linkerrorrecovery": "linkerrorrecovery",
    "linkerrorrecover": "linkerrorrecovery",
    "phytest": "phytest",
}
"""`ibv_devinfo` misspells the training, and `rdma` calls it ARMED (port_phy_state_str in rdma-core's
libibverbs/examples/devinfo.c, phys_state_to_str in iproute2's rdma/link.c).
"""


def state(text: str) -> str | None:
    """Read a logical state: `4: ACTIVE`, `PORT_ACTIVE (4)`, `Active`."""
    return STATES.get(_bare(text).removeprefix("port"))


def physical_state(text: str) -> str | None:
    """Read a physical state: `5: LinkUp`, `LINK_UP (5)`."""
    return PHYSICAL_STATES.get(_bare(text))


def link_layer(text: str) -> Literal["infiniband", "ethernet"] | None:
    """Read what a port speaks; None for `Unspecified` and what else is neither of the two."""
    match text.strip().lower():
        case "infiniband":
            return "infiniband"
        case "ethernet":
            return "ethernet"
    return None


def rate(text: str) -> int | None:
    """Read bits per second from gigabits: `400 Gb/sec (4X NDR)`, `2.5`, `40 (FDR10)`."""
    match = re.fullmatch(r"([0-9]{1,5})(?:\.([0-9]))?(?: Gb/sec)?(?: \([^)]*\))?", text.strip())
    return int(match[1]) * 10**9 + int(match[2] or 0) * 10**8 if match else None


def width(text: str) -> int | None:
    """Read how many lanes a link has: `400 Gb/sec (4X NDR)`, `4X (2)`."""
    match = re.search(r"(?:^|\()([0-9]{1,2})X\b", text.strip())
    return int(match[1]) if match else None


def guid(text: str) -> str | None:
    """Read a GUID, `a088:c203:00aa:1100` or `0xa088c20300aa1100`; return it in the second form."""
    digits = text.strip().lower().removeprefix("0x").replace(":", "")
    return f"0x{digits}" if re.fullmatch(r"[0-9a-f]{16}", digits) and int(digits, 16) else None


def number(text: str | None) -> int | None:
    """Read a whole number, decimal or `0x1f`."""
    bare = (text or "").strip().lower()
    return int(bare, 16) if re.fullmatch(r"0x[0-9a-f]{1,8}", bare) else integer(bare)


def _bare(text: str) -> str:
    words = re.sub(r"^\s*[0-9]+:\s*|\s*\([0-9]+\)\s*$", "", text)
    return re.sub(r"[\s_-]", "", words).lower()

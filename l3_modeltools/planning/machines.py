"""The machine that so many accelerators are taken to be where nobody describes it: like nodes, a port for each."""

from l0_infra.schemas import Device
from l3_modeltools.schemas import Machine, Network

__all__ = ["NODE", "machine_like"]

NODE = 8
"""Accelerators of a node."""

PORT_SHARE = 0.78125
"""Of a PCIe slot, the widest port that it feeds: 200 Gb/s behind PCIe 4.0, 400 Gb/s behind 5.0."""

SLOT = 3.2e10
"""Bytes/s of a PCIe slot where the data sheet has none: 16 lanes of PCIe 4.0."""


def machine_like(
    device: Device, devices: int, *, name: str, per_node: int = NODE, port: float | None = None
) -> Machine:
    """Nodes of `per_node` accelerators, or of all there are if those are fewer; the last may stand for a part.

    `port`: bytes/s of an accelerator's share of the network, in one direction; None: of its own port, or of the widest
    that its slot feeds. Links that reach beyond a node by the data sheet do so here.
    """
    node = min(per_node, devices)
    reach = max((one.reach for one in device.links if one.reach), default=0)
    return Machine(
        name=name,
        device=device.name,
        nodes=-(-devices // node),
        devices_per_node=node,
        domain_devices=reach if reach > node and reach % node == 0 else None,
        network=Network(bytes_per_s_per_device=port or _port(device)),
    )


def _port(device: Device) -> float:
    """Bytes/s."""
    rates = {one.kind: one.bandwidth_bytes_per_s for one in device.links}
    own = max(rates.get("infiniband", 0.0), rates.get("roce", 0.0))
    return own or rates.get("pcie", SLOT) * PORT_SHARE

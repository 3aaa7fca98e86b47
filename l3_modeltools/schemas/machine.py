"""Accelerators and what joins them, as far as the cost of a training follows from them."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Document, Name, Part, Positive
from l0_infra.core.errors import Fault

__all__ = ["Machine", "Network"]

Rate = Annotated[float, Meta(gt=0)]


class Network(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What joins nodes."""

    kind: Annotated[Literal["infiniband", "roce", "ethernet"], Meta(description="Kind of network.")] = (
        "infiniband"
    )
    bytes_per_s_per_device: Annotated[
        Rate, Meta(description="An accelerator's share of its node's links, in one direction.")
    ]
    oversubscription: Annotated[
        float,
        Meta(ge=1, description="Links into the network over links through its core; 1: full bisection."),
    ] = 1.0


class Machine(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="machine"):
    """A cluster as a planner sees it: like nodes of like accelerators."""

    name: Annotated[Name, Meta(description="Name.", examples=["pod"])]
    device: Annotated[
        Name, Meta(description="Name of the `device` document of its accelerators.", examples=["h100-sxm-80"])
    ]
    nodes: Annotated[Positive, Meta(description="Nodes.", examples=[1])]
    devices_per_node: Annotated[Positive, Meta(description="Accelerators of a node.")] = 8
    domain_devices: Annotated[
        Positive | None,
        Meta(
            description="Accelerators joined by the device's own links (NVLink, HCCS, xGMI); null: those of a node."
        ),
    ] = None
    network: Annotated[Network | None, Meta(description="What joins nodes; null: there is one node.")] = None
    price_per_device_hour: Annotated[
        Rate | None,
        Meta(description="What an accelerator costs for an hour, in any currency; null: not known."),
    ] = None

    @property
    def devices(self) -> int:
        """All accelerators."""
        return self.nodes * self.devices_per_node

    @property
    def domain(self) -> int:
        """Accelerators that reach each other without the network."""
        return self.domain_devices or self.devices_per_node

    def faults(self) -> Iterator[Fault]:
        """Yield several nodes without a network, and a domain that cuts nodes."""
        if self.network is None and self.devices > self.domain:
            found = f"{self.devices} accelerators in domains of {self.domain}, and no network"
            yield Fault(path=("network",), found=found, expected="what joins them")
        large, small = max(self.domain, self.devices_per_node), min(self.domain, self.devices_per_node)
        if large % small:
            found = f"domains of {self.domain}, nodes of {self.devices_per_node}"
            yield Fault(path=("domain_devices",), found=found, expected="one a multiple of the other")

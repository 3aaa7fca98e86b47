"""Who is at the other end of a node's cables, and what a whole InfiniBand fabric looks like from one node."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Part, Text

__all__ = ["FabricMap", "FabricSwitch", "HostPort", "Neighbor"]


class Neighbor(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A device that an interface hears by LLDP; several where something between them passes LLDP on."""

    interface: Annotated[Text, Meta(description="The node's own interface: `ens1np0`.")]
    name: Annotated[str | None, Meta(description="Name that the device gives itself: `leaf01`.")] = None
    chassis: Annotated[
        str | None, Meta(description="What tells it from others, mostly a hardware address.")
    ] = None
    port: Annotated[str | None, Meta(description="Its port at the other end: `Ethernet1/7`, `swp7`.")] = None
    capabilities: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="What it says that it is at work as: `bridge`, `router`, `station`; null: not said."
        ),
    ] = None


class HostPort(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A port of an adapter that is cabled to a switch."""

    guid: Annotated[Text, Meta(description="GUID of the port: `0xa088c20300aa1100`.")]
    name: Annotated[str, Meta(description="What its adapter is called: `node01 mlx5_0`.")] = ""


class FabricSwitch(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One switch of an InfiniBand fabric."""

    guid: Annotated[Text, Meta(description="GUID of the switch.")]
    name: Annotated[str, Meta(description="What it is called: `MF0;leaf01:MQM9700/U1`.")] = ""
    hosts: Annotated[tuple[HostPort, ...], Meta(description="Ports of adapters on it.")] = ()
    switches: Annotated[
        tuple[Text, ...], Meta(description="GUIDs of the switches that it is cabled to, each once.")
    ] = ()


class FabricMap(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The switches of an InfiniBand fabric, and what hangs on them."""

    switches: Annotated[tuple[FabricSwitch, ...], Meta(description="Switches, as they were found.")] = ()

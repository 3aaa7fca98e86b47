"""Nodes alike become groups of a cluster's document, and addresses with a prefix its networks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_interface
from typing import Literal, cast

from l0_infra.core.nodeset import fold_in_order, natural_key
from l1_podsys.inventory.node import ListedNode, text_of
from l1_podsys.schemas import Machine, Network, NodeGroup

__all__ = ["groups_of", "networks_of"]

LABELS = ("serial", "mac", "uuid", "rack", "rack_unit")


def groups_of(nodes: Iterable[ListedNode]) -> Iterator[NodeGroup]:
    """Put alike nodes into one group, in the order of their first host, those that lead first."""
    kinds: dict[tuple[object, ...], list[ListedNode]] = {}
    for node in nodes:
        kinds.setdefault(node.kind, []).append(node)
    for alike in sorted(kinds.values(), key=lambda group: "head" not in group[0].roles):
        listed = sorted(alike, key=lambda node: natural_key(node.name))
        machines = {node.name: machine for node in listed if (machine := _machine(node)) is not None}
        yield NodeGroup(
            names=fold_in_order(node.name for node in listed),
            roles=listed[0].roles,
            node_class=listed[0].node_class,
            addresses=_column(node.address for node in listed),
            bmc_addresses=_column(node.bmc_address for node in listed),
            machines=machines,
        )


def _column(texts: Iterable[str | None]) -> str | None:
    told = [text for text in texts if text is not None]
    return fold_in_order(told) if told else None


def _machine(node: ListedNode) -> Machine | None:
    told = {field: text for field in LABELS if (text := text_of(node.listed, field)) is not None}
    return Machine(**told) if told else None


def networks_of(nodes: Sequence[ListedNode]) -> Iterator[Network]:
    """Yield the networks that addresses with a prefix tell, where they all tell the same."""
    for purpose, field in (("management", "address"), ("compute", "fabric_address")):
        told = [text for node in nodes if (text := text_of(node.listed, field)) and "/" in text]
        ranges = {str(ip_interface(text).network) for text in told if _is_interface(text)}
        if len(ranges) == 1:
            gateways = Counter(
                text
                for node in nodes
                if purpose == "management" and (text := text_of(node.listed, "gateway"))
            )
            yield Network(
                purpose=cast("Literal['management', 'compute']", purpose),
                cidr=next(iter(ranges)),
                gateway=next(iter(gateways)) if len(gateways) == 1 else None,
            )


def _is_interface(text: str) -> bool:
    try:
        ip_interface(text)
    except ValueError:
        return False
    return True

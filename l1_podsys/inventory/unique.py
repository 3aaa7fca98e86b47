"""Names, addresses and machines that two hosts of a list would have in common."""

from collections.abc import Iterable, Iterator

from l0_infra.core.errors import Fault
from l1_podsys.inventory.listed import fault_at
from l1_podsys.inventory.node import ListedNode, text_of

__all__ = ["repeated_hosts"]


def repeated_hosts(source: str, nodes: Iterable[ListedNode]) -> Iterator[Fault]:
    """Yield names, addresses and labels of machines that two hosts have, or one host twice."""
    seen: dict[tuple[str, str], tuple[int, str, str]] = {}
    for index, node in enumerate(nodes):
        host = node.listed.name
        for what, kind, text in _told(node):
            mine = (index, what, host.text)
            first = seen.setdefault((kind, text.lower()), mine)
            if first != mine:
                found = f"the {what} `{text}` of {host.text}, already that of {first[2]}"
                yield fault_at(source, host.line, found, f"another {kind}")


def _told(node: ListedNode) -> Iterator[tuple[str, str, str]]:
    """Yield what must be a node's own: how it is called, what kind it is of, and its text."""
    yield "name", "name", node.name
    for what, address in (("address", node.address), ("address of its controller", node.bmc_address)):
        if address is not None:
            yield what, "address", address
    for field, what in (("serial", "serial number"), ("mac", "hardware address"), ("uuid", "UUID")):
        if text := text_of(node.listed, field):
            yield what, what, text

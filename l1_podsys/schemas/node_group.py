"""Many like nodes in a few lines: their names and addresses as node sets."""

from collections.abc import Iterator
from ipaddress import ip_address
from itertools import zip_longest
from typing import Annotated, Literal

from msgspec import Meta, field, structs

from l0_infra.core.documents import Part, Text, unknown
from l0_infra.core.errors import Fault, FieldPath, OgaiError
from l0_infra.core.nodeset import expand, repeats
from l0_infra.schemas import Node, address_fault, name_fault
from l1_podsys.schemas.machine import Machine

__all__ = ["NodeGroup", "repeated_nodes"]

UNKNOWN = Machine()

NodeSet = Annotated[str, Meta(min_length=1)]


class NodeGroup(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nodes alike in everything but name and address."""

    names: Annotated[
        NodeSet, Meta(description="Node names as a node set: `node[001-128]`.", examples=["node[001-004]"])
    ]
    roles: Annotated[
        tuple[Literal["head", "login", "compute", "storage"], ...],
        Meta(min_length=1, description="What they are for.", examples=[["head", "compute"]]),
    ]
    node_class: Annotated[str, Meta(min_length=1, description="Class of equal nodes they belong to.")] = (
        "default"
    )
    addresses: Annotated[
        NodeSet | None,
        Meta(
            description="As many addresses, in the same order: `10.20.0.[1-128]`; null: names are resolved."
        ),
    ] = None
    bmc_addresses: Annotated[
        NodeSet | None, Meta(description="As many addresses of their management controllers; null: none.")
    ] = None
    machines: Annotated[
        dict[Text, Machine],
        Meta(description="What their machines are known by, by node name; none: nothing is known."),
    ] = field(default_factory=dict)

    def faults(self) -> Iterator[Fault]:
        """Yield node sets that cannot be read, bad names and addresses, and counts that differ."""
        names = _read(self.names)
        for column, text in self._sets():
            entries = _read(text)
            if isinstance(entries, OgaiError):
                yield Fault(path=(column,), found=entries.found, expected=entries.expected, hint=entries.hint)
                continue
            yield from (
                Fault(path=(column,), found=f"`{entry}` twice", expected="each of them once")
                for entry in repeats(text)
            )
            check = name_fault if column == "names" else address_fault
            yield from filter(None, (check(entry, (column,)) for entry in entries))
            if not isinstance(names, OgaiError) and len(entries) != len(names):
                yield Fault(
                    path=(column,),
                    found=f"{len(entries)} of them",
                    expected=f"{len(names)}, one for each name",
                )
        if not isinstance(names, OgaiError):
            for name in self.machines:
                yield from unknown(("machines", name), name, names, what="a node of this group")

    def listed(self) -> tuple[Node, ...]:
        """List the nodes one by one; what cannot be read is left out, for `faults` names it."""
        names, addresses, bmcs = (_entries(text) for text in (self.names, self.addresses, self.bmc_addresses))
        rows = zip_longest(names, addresses[: len(names)], bmcs[: len(names)])
        return tuple(
            Node(
                name=name,
                address=address,
                bmc_address=bmc,
                node_class=self.node_class,
                **structs.asdict(self.machines.get(name, UNKNOWN)),
            )
            for name, address, bmc in rows
        )

    def _sets(self) -> Iterator[tuple[str, str]]:
        yield "names", self.names
        if self.addresses is not None:
            yield "addresses", self.addresses
        if self.bmc_addresses is not None:
            yield "bmc_addresses", self.bmc_addresses


def repeated_nodes(groups: tuple[NodeGroup, ...]) -> Iterator[Fault]:
    """Yield names and addresses used by more than one node; paths are relative to the list of groups."""
    names: dict[str, FieldPath] = {}
    addresses: dict[str, FieldPath] = {}
    for index, group in enumerate(groups):
        for column, text in group._sets():
            seen, expected = (
                (names, "a unique node name") if column == "names" else (addresses, "a unique address")
            )
            for entry in _entries(text):
                first = seen.setdefault(_one_spelling(entry), (index, column))
                if first != (index, column):
                    found = f"`{entry}`, already in nodes[{first[0]}].{first[1]}"
                    yield Fault(path=(index, column), found=found, expected=expected)
    yield from _repeated_machines(groups)


def _repeated_machines(groups: tuple[NodeGroup, ...]) -> Iterator[Fault]:
    """Yield serial numbers, hardware addresses and UUIDs of two nodes: one of them is another machine."""
    seen: dict[tuple[str, str], str] = {}
    for index, group in enumerate(groups):
        for name, machine in group.machines.items():
            for key in ("serial", "mac", "uuid"):
                value: str | None = getattr(machine, key)
                first = seen.setdefault((key, _one_mac(value)), name) if value else name
                if first != name:
                    path = (index, "machines", name, key)
                    yield Fault(
                        path=path, found=f"`{value}`, already that of {first}", expected=f"a unique {key}"
                    )


def _one_mac(text: str) -> str:
    return text.lower().replace("-", ":")


def _one_spelling(entry: str) -> str:
    try:
        return str(ip_address(entry))
    except ValueError:
        return entry.lower()


def _read(text: str) -> tuple[str, ...] | OgaiError:
    try:
        return expand(text)
    except OgaiError as error:
        return error


def _entries(text: str | None) -> tuple[str, ...]:
    entries = _read(text) if text else ()
    return () if isinstance(entries, OgaiError) else entries

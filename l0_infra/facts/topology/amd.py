"""Which AMD accelerators XGMI joins: `amd-smi topology` in its two shapes, and `rocm-smi --showtopo`.

Neither tells the number of physical links, and hops over XGMI are always told as one, so only the kind is read.
"""

import re
from collections.abc import Iterator, Sequence

from l0_infra.facts.bundle import Source
from l0_infra.facts.json_value import Json, decode, dig, items, keys, word
from l0_infra.facts.topology.told import Told, Way
from l0_infra.facts.tree import integer

__all__ = ["AMD_TOPOLOGY", "ROCM_TOPOLOGY", "parse_amd_topology", "parse_rocm_topology"]

AMD_TOPOLOGY = Source(
    name="amd-smi-topology.json",
    program="amd-smi",
    command="amd-smi topology --json",
    also=("*amd*topo*.json",),
    marks=('"num_hops": ',),
)
ROCM_TOPOLOGY = Source(
    name="rocm-smi-showtopo.json",
    program="rocm-smi",
    command="command -v amd-smi >/dev/null || rocm-smi --showtopo --json",
    also=("*rocm*topo*.json",),
    marks=("(Topology) Link type between DRM devices",),
)
XGMI = Way(path="xgmi")
Triple = tuple[int, int, str]


def parse_amd_topology(text: str) -> Told:
    """Read links by GPU, or the older `link_type: {gpu_1: XGMI}`; what goes over PCI the tree tells better."""
    value = decode(text)
    entries = items(dig(value, "gpu_data")) or items(value)
    triples = [triple for entry in entries for triple in (*_links(entry), *_link_types(entry))]
    return _told(triples, read=bool(triples))


def parse_rocm_topology(text: str) -> Told:
    """Read `(Topology) Link type between DRM devices 0 and 1`."""
    system = dig(decode(text), "system")
    found = (
        (re.fullmatch(r".*Link type.* ([0-9]{1,4}) and ([0-9]{1,4})", key, re.I), key) for key in keys(system)
    )
    triples = [(int(match[1]), int(match[2]), word(dig(system, key))) for match, key in found if match]
    return _told(triples, read=system is not None)


def _links(entry: Json) -> Iterator[Triple]:
    gpu = integer(word(dig(entry, "gpu")))
    for link in items(dig(entry, "links")):
        peer = integer(word(dig(link, "gpu")))
        if gpu is not None and peer is not None:
            yield gpu, peer, word(dig(link, "link_type"))


def _link_types(entry: Json) -> Iterator[Triple]:
    gpu, types = integer(word(dig(entry, "gpu"))), dig(entry, "link_type")
    for key in keys(types):
        peer = integer(key.removeprefix("gpu_"))
        if gpu is not None and peer is not None:
            yield gpu, peer, word(dig(types, key))


def _told(triples: Sequence[Triple], *, read: bool) -> Told:
    kinds = {(f"amd:{one}", f"amd:{other}"): kind.upper() for one, other, kind in triples if one != other}
    return Told(
        ways={pair: XGMI for pair, kind in kinds.items() if kind == "XGMI"},
        over_pci=frozenset(pair for pair, kind in kinds.items() if kind == "PCIE"),
        read=read,
    )

"""The xGMI links of a GPU, as `amd-smi xgmi` and `amd-smi topology` tell: to each other GPU, or port by port."""

import re
from collections.abc import Iterator

from l0_infra.facts.amd.documents import Entry, gpu_number
from l0_infra.facts.json_value import Json, dig, items, word
from l0_infra.facts.vendor import pci_address
from l0_infra.schemas import AcceleratorLink

__all__ = ["xgmi_links"]

STATES = {"U": True, "D": False}
"""Up and down; X is a port that is switched off."""


def xgmi_links(gpu: int, entry: Entry) -> tuple[AcceleratorLink, ...] | None:
    """List the links to other GPUs, each under the number of the other; else the ports that are in use."""
    states = [word(one) for one in items(dig(entry, "link_status"))]
    peers = tuple(_to_peers(gpu, entry, states if "SELF" in states else []))
    if peers:
        return peers
    ports = tuple(
        AcceleratorLink(index=at, kind="xgmi", active=STATES[state])
        for at, state in enumerate(states)
        if state in STATES
    )
    return ports or None


def _to_peers(gpu: int, entry: Entry, states: list[str]) -> Iterator[AcceleratorLink]:
    metrics = dig(entry, "link_metrics")
    rate = _bytes_per_s(dig(metrics, "max_bandwidth"))
    common = word(dig(metrics, "link_type"))
    listed = items(dig(metrics, "links")) or items(dig(entry, "links"))
    for at, link in enumerate(listed):
        peer = gpu_number(dig(link, "gpu"))
        kind = word(dig(link, "link_type")) or common
        if peer is None or peer == gpu or kind != "XGMI":
            continue
        yield AcceleratorLink(
            index=peer,
            kind="xgmi",
            active=_up(states[at]) if at < len(states) else None,
            bandwidth_bytes_per_s=rate,
            peer=pci_address(word(dig(link, "bdf"))),
        )


def _up(state: str) -> bool | None:
    """Read `U`, or `U/D` of two links to one GPU: all must be up."""
    known = [STATES[one] for one in state.split("/") if one in STATES]
    return all(known) if known else None


def _bytes_per_s(value: Json) -> float | None:
    """Read a bandwidth in Gb/s, of one direction."""
    match = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)\s{0,3}(?:Gb/s)?", word(value))
    return float(match[1]) * 1e9 / 8 or None if match else None

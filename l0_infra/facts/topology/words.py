"""The words that tools print for how two devices reach each other, and the order from near to far."""

import re
from typing import get_args

from l0_infra.schemas import PairPath

__all__ = ["DIRECT", "distance", "parse_path"]

DIRECT: tuple[PairPath, ...] = ("nvlink", "hccs", "sio", "xgmi")
"""Links of the accelerators' own."""

PCI_PATHS = get_args(PairPath)[len(DIRECT) :]

PATHS: dict[str, PairPath] = {
    "PIX": "pix",
    "PXB": "pxb",
    "PHB": "phb",
    "NODE": "node",
    "SYS": "sys",
    "SOC": "sys",
    "HCCS": "hccs",
    "HCCS_SW": "hccs",
    "SIO": "sio",
    "UB": "hccs",
    "XGMI": "xgmi",
}
"""`SOC`: SYS of old drivers; `HCCS_SW`: HCCS through a switch; UB: what followed it (legends of the tools)."""


def parse_path(word: str) -> tuple[PairPath, int | None] | None:
    """Read a cell: the path and, of NVLink, the number of links; None where it tells of no path."""
    links = re.fullmatch(r"NV([1-9][0-9]{0,2})", word)
    if links:
        return "nvlink", int(links[1])
    return (PATHS[word], None) if word in PATHS else None


def distance(path: PairPath) -> int:
    """Return how far a path reaches: 0 for direct links, then a step for each kind."""
    return 0 if path in DIRECT else 1 + PCI_PATHS.index(path)

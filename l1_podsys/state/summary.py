"""A cluster in a few words, kept beside its document for who must not wait for a thousand nodes to be read."""

from pathlib import Path
from typing import Literal

import msgspec

from l0_infra.core.store import load_file, save_file

__all__ = ["ClusterSummary", "load_summary", "save_summary"]

FILE = "summary.json"


class ClusterSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a cluster is, as far as who submits work wants to know."""

    name: str
    scheduler: Literal["local", "slurm"]
    nodes: int


def load_summary(folder: Path) -> ClusterSummary | None:
    """Read what is kept in a cluster's folder; None where nothing is, or nothing that can be read."""
    try:
        return msgspec.json.decode(load_file(folder / FILE), type=ClusterSummary)
    except (OSError, msgspec.DecodeError):
        return None


def save_summary(folder: Path, summary: ClusterSummary) -> None:
    """Keep it."""
    save_file(folder / FILE, msgspec.json.encode(summary))

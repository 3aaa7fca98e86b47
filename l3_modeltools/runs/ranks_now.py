"""How far each rank is at the moment, told by its supervisor every few seconds for whoever looks on."""

from pathlib import Path

import msgspec

from l0_infra.core.store import load_file, save_file
from l3_modeltools.runs.layout import RunLayout

__all__ = ["RankNow", "RanksNow", "read_ranks", "save_ranks"]


class RankNow(msgspec.Struct, frozen=True, kw_only=True):
    """One rank."""

    rank: int
    phase: str
    """Where in its loop it is, a word of `Phase`; one that a later version knows is taken as it is."""
    step: int
    own_s: float
    """What it needs itself for a step, in seconds, the wait for others left out; of its last steps."""
    idle_s: float
    """How long it has been in this phase, in seconds."""


class RanksNow(msgspec.Struct, frozen=True, kw_only=True):
    """All ranks of a run at one moment."""

    at: float
    """In seconds since the epoch."""
    ranks: tuple[RankNow, ...] = ()


def save_ranks(directory: Path, now: RanksNow) -> None:
    """Replace what is known of the ranks of the run in `directory`, without waiting for the disk. Raises OSError."""
    save_file(RunLayout(directory).ranks, msgspec.json.encode(now), durable=False)


def read_ranks(directory: Path) -> RanksNow | None:
    """Read how far the ranks of the run in `directory` are; None where nobody tells it, or not in whole."""
    try:
        return msgspec.json.decode(load_file(RunLayout(directory).ranks), type=RanksNow)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None

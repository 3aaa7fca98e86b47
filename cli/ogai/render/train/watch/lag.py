"""Which ranks lag behind the others, and a bar for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from l3_modeltools import RankNow, RanksNow
from ogai.render.glyphs import Glyphs
from ogai.render.moment import brief

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["Lag", "draw_lag", "find_lag"]

SLOWER = 1.2
SILENT_STEPS = 2.0
SILENT_S = 1.0
"""Steps of a few milliseconds are no measure of silence."""

STALE_S = 10.0
BESIDES = 46
IN_A_STEP = ("data", "forward", "backward", "optimizer")


@dataclass(frozen=True, kw_only=True, slots=True)
class Lag:
    """The ranks of a run where one lags: the slowest first, with the median of their own times, in seconds."""

    ranks: tuple[RankNow, ...]
    median_s: float
    silent: frozenset[int]
    """Ranks that have been in one part of a step for longer than two steps take."""


def find_lag(ranks: RanksNow | None, *, step_s: float | None, now: float) -> Lag | None:
    """Judge whether a rank needs 1.2 times the median for itself, or has been silent for two steps."""
    if ranks is None or len(ranks.ranks) < 2 or now - ranks.at > STALE_S:
        return None
    typical = median(rank.own_s for rank in ranks.ranks)
    patience = max(SILENT_S, SILENT_STEPS * step_s) if step_s is not None else float("inf")
    silent = frozenset(r.rank for r in ranks.ranks if r.phase in IN_A_STEP and r.idle_s > patience)
    slowest = max(rank.own_s for rank in ranks.ranks)
    if not silent and slowest <= SLOWER * typical:
        return None
    ordered = sorted(ranks.ranks, key=lambda r: (r.rank not in silent, -r.own_s, r.rank))
    return Lag(ranks=tuple(ordered), median_s=typical, silent=silent)


def draw_lag(lag: Lag, *, width: int, most: int, glyphs: Glyphs) -> Iterator[Text]:
    """Draw a bar for each of the slowest, at most so many, and count the rest."""
    from rich.text import Text

    yield Text.assemble(("own time of a step", "bold"), f"   median {precise(lag.median_s)}")
    longest = max(rank.own_s for rank in lag.ranks) or 1.0
    room = max(4, width - BESIDES)
    digits = len(str(max(rank.rank for rank in lag.ranks)))
    for rank in lag.ranks[:most]:
        slow = rank.own_s > SLOWER * lag.median_s
        length = min(room, max(1, round(room * rank.own_s / longest)))
        yield Text.assemble(
            f"  rank {rank.rank:>{digits}}  ",
            (glyphs.full * length, "red" if slow or rank.rank in lag.silent else "blue"),
            " " * (room - length),
            f"  {describe(rank, lag)}",
        )
    if len(lag.ranks) > most:
        yield Text(f"  and {len(lag.ranks) - most} more, none slower")


def describe(rank: RankNow, lag: Lag) -> str:
    """Say how long a rank needs and, of one that lags, where it is."""
    told = f"{precise(rank.own_s):>5}"
    if lag.median_s > 0 and rank.own_s > SLOWER * lag.median_s:
        told += f", {rank.own_s / lag.median_s:.1f} times"
    if rank.rank in lag.silent:
        told += f", {brief(rank.idle_s)} in {rank.phase} of {rank.step}"
    return told


def precise(seconds: float) -> str:
    """Write a time so that two ranks which differ by a fifth are told apart: `76ms`, `1.2s`."""
    return f"{seconds * 1000:.0f}ms" if seconds < 0.9995 else brief(seconds)

"""What is set aside for the first waiting job, so that nothing behind it delays it (EASY backfill).

Lifka, "The ANL/IBM SP scheduling system" (JSSPP 1995): only the first waiting job has a reservation, and
others may overtake it if they end before it or do not touch it.
"""

from collections.abc import Sequence
from math import inf, isinf

from msgspec import Struct

from l2_scheduler.placement.fit import Amount, Shape
from l2_scheduler.placement.free import Books, Holding
from l2_scheduler.placement.order import submission

__all__ = ["SetAside", "reserve"]


class SetAside(Struct, frozen=True, kw_only=True):
    """The reservation of one job: from `at` on it needs `nodes`; `waits_for` holds there until then.

    `beside[node]` is what a job without a known end before `at` may use of the node from that time on.
    """

    job_id: str
    at: float
    nodes: tuple[int, ...]
    waits_for: tuple[str, ...]
    beside: list[Amount]


def reserve(job_id: str, shape: Shape, books: Books) -> SetAside:
    """Set aside the nodes that can serve the gang first, as they will be when the last of them is ready.

    The gang must fit once every holding has ended. When that time is unknown (a job without a limit must
    end first), all of what is free now on the chosen nodes is kept for it, up to its need: whatever ends
    there accumulates.
    """
    free = books.room.amounts
    ready = _ready_times(free, books.holdings, shape.need)
    nodes = sorted(ready, key=lambda node: (ready[node], shape.need.beyond(free[node]), free[node], node))
    chosen = tuple(nodes[: shape.nodes])
    at = max(ready[node] for node in chosen)
    beside = list(free if isinf(at) else _free_at(free, books.holdings, at))
    for node in chosen:
        beside[node] = beside[node].beyond(shape.need)
    holders = {holding.job_id for holding in books.holdings if holding.node in chosen and holding.until <= at}
    waits_for = tuple(sorted(holders, key=submission))
    return SetAside(job_id=job_id, at=at, nodes=chosen, waits_for=waits_for, beside=beside)


def _ready_times(free: Sequence[Amount], holdings: Sequence[Holding], need: Amount) -> dict[int, float]:
    """For each node that can give `need` at all: from when on, if nothing more starts there."""
    ready = {node: -inf for node, amount in enumerate(free) if amount.holds(need)}
    growing = list(free)
    for holding in sorted(holdings):
        node = holding.node
        growing[node] = growing[node].plus(holding.amount)
        if node not in ready and growing[node].holds(need):
            ready[node] = holding.until
    return ready


def _free_at(free: Sequence[Amount], holdings: Sequence[Holding], at: float) -> list[Amount]:
    later = list(free)
    for holding in holdings:
        if holding.until <= at:
            later[holding.node] = later[holding.node].plus(holding.amount)
    return later

"""Numbers of a training as people read them."""

from l3_modeltools.schemas import FaultAction, Figures
from ogai.render.moment import brief, local_time

__all__ = ["count", "describe_work", "done", "loss", "number"]

SCALES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K"))
MISSING = "-"
SOON_S = 1.0
"""So short a stretch of work before the present one is not worth a word."""


def number(value: float | None) -> str:
    """Write a number of things in three significant digits: `4.2M`, `750K`, `812`; `-` where it is unknown."""
    if value is None:
        return MISSING
    for scale, letter in SCALES:
        if abs(value) >= scale * 0.9995:
            return f"{value / scale:.3g}{letter}"
    return f"{value:.0f}"


def count(value: int) -> str:
    """Write a count whole, in groups of three: `4,196,608`."""
    return f"{value:,}"


def describe_work(figures: Figures, now: float) -> str:
    """Write how long a run was at work, and since when it is: `2h3m, now since 14:03:11`; nothing where unknown."""
    spent_s, since = figures.at_work_s, figures.at_work_since
    if spent_s is None:
        return ""
    if since is None:
        return brief(spent_s)
    first = spent_s < now - since + SOON_S
    began = local_time(since, now)
    return f"{brief(spent_s)}, {'' if first else 'now '}since {began}"


def loss(value: float | None) -> str:
    """Write a loss in nats: `4.744`."""
    return MISSING if value is None else f"{value:.3f}"


DONE: dict[FaultAction | None, str] = {
    None: "nothing yet",
    "none": "told",
    "retry": "step computed again",
    "restart_worker": "ranks started again",
    "restart_job": "job started again",
    "skip_batches": "batch left out",
    "roll_back": "went back",
    "free_space": "old checkpoints removed",
    "pause": "waited",
    "replace_node": "node replaced",
    "give_up": "gave up",
}


def done(action: FaultAction | None) -> str:
    """Say what was done about a fault: `ranks started again`."""
    return DONE[action]

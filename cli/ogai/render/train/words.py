"""Numbers of a training as people read them."""

from l3_modeltools.schemas import FaultAction

__all__ = ["count", "done", "loss", "number"]

SCALES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K"))
MISSING = "-"


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

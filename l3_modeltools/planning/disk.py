"""How much disk a run's checkpoints take, and whether there is so much."""

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.units import format_bytes
from l3_modeltools.planning.place import Place
from l3_modeltools.schemas import Checkpointing

__all__ = ["disk_bytes", "require_disk"]


def disk_bytes(keep: Checkpointing, checkpoint: int, steps: int) -> int:
    """The most that all checkpoints take at once: the newest, one being written, and those kept for good."""
    lasting = steps // keep.keep_every_steps if keep.keep_every_steps else 0
    return checkpoint * (keep.keep_last + 1 + lasting)


def require_disk(keep: Checkpointing, checkpoint: int, steps: int, place: Place) -> int:
    """Return what checkpoints take; UnsatisfiableError with the most `keep_last` that fits where it is too much."""
    needed = disk_bytes(keep, checkpoint, steps)
    budget = place.disk_free_bytes if keep.max_bytes is None else min(keep.max_bytes, place.disk_free_bytes)
    if needed <= budget:
        return needed
    own = keep.max_bytes is not None and keep.max_bytes <= place.disk_free_bytes
    most = keep.keep_last - -(-(needed - budget) // checkpoint)
    raise UnsatisfiableError(
        "checkpoint.max_bytes" if own else "disk of the run directory",
        found=f"{format_bytes(budget)} {'allowed' if own else 'free: the disk is too small'}",
        expected=f"{format_bytes(needed)}: {needed // checkpoint} checkpoints of {format_bytes(checkpoint)}, "
        "one of them being written",
        hint=f"nearest: `keep_last: {most}`" if most >= 1 else _more_room(needed, own),
    )


def _more_room(needed: int, own: bool) -> str:
    return (
        f"nearest: `max_bytes: {needed}`"
        if own
        else f"free {format_bytes(needed)}, or name another directory"
    )

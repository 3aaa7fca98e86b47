"""Which checkpoints stay, and whether another one has room: decided here, done by the shelf."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from l0_infra.core.units import format_bytes
from l3_modeltools.checkpoint.found import Found
from l3_modeltools.schemas import Checkpointing

__all__ = ["Room", "dispensable", "plan_room", "superseded"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """What must go before a checkpoint is saved, in this order; or, with a `refusal`, why that would not do."""

    remove: tuple[Found, ...] = ()
    refusal: str = ""
    over_budget: bool = False
    """Whether it is `max_bytes` that refuses, not the disk."""

    @property
    def costs_sound(self) -> bool:
        """Whether a checkpoint that could be loaded goes."""
        return any(not found.fault for found in self.remove)


def superseded(steps: Iterable[int], keep: Checkpointing) -> tuple[int, ...]:
    """Name the steps, oldest first, whose sound checkpoints `keep` lets go; never the newest."""
    ordered = sorted(set(steps))
    every = keep.keep_every_steps
    return tuple(step for step in ordered[: -keep.keep_last] if every is None or step % every)


def plan_room(
    needed_bytes: int, *, step: int, held: Sequence[Found], keep: Checkpointing, free_bytes: int
) -> Room:
    """Find room for `needed_bytes` at `step` among what is `held`, within `keep.max_bytes` and `free_bytes`.

    As little as possible goes: first what is unsound, then, oldest first, what `keep` would let go once the
    new one is there. The newest sound checkpoint before `step` always stays, and so do sound ones of later steps.
    """
    taken, free = sum(found.size_bytes for found in held), free_bytes
    remove: list[Found] = []
    for found in _removable(step, held, keep):
        if not _shortage(needed_bytes, taken, free, keep.max_bytes):
            break
        remove.append(found)
        taken, free = taken - found.size_bytes, free + found.size_bytes
    return Room(
        remove=tuple(remove),
        refusal=_shortage(needed_bytes, taken, free, keep.max_bytes),
        over_budget=keep.max_bytes is not None and taken + needed_bytes > keep.max_bytes,
    )


def dispensable(held: Sequence[Found], keep: Checkpointing) -> Found | None:
    """Name the oldest sound checkpoint that may go before its time where there is no room; None: there is none.

    The newest stays, and so do those at multiples of `keep_every_steps`.
    """
    sound = sorted((found for found in held if not found.fault), key=lambda found: found.step)
    every = keep.keep_every_steps
    return next((found for found in sound[:-1] if every is None or found.step % every), None)


def _removable(step: int, held: Sequence[Found], keep: Checkpointing) -> list[Found]:
    past = [found for found in held if not found.fault and found.step < step]
    sound = sorted(past, key=lambda found: found.step)
    gone = set(superseded([step, *(found.step for found in sound)], keep))
    unsound = [found for found in held if found.fault and found.step != step]
    return unsound + [found for found in sound[:-1] if found.step in gone]


def _shortage(needed: int, taken: int, free: int, max_bytes: int | None) -> str:
    if max_bytes is not None and taken + needed > max_bytes:
        return (
            f"{format_bytes(needed)} to save, {format_bytes(taken)} already taken by checkpoints that stay,"
            f" and max_bytes {format_bytes(max_bytes)}"
        )
    if needed > free:
        return f"{format_bytes(needed)} to save and {format_bytes(max(0, free))} free"
    return ""

"""A memory file of two slots for copies of a rank's state: a kill at any moment leaves the slot not written to.

A slot is valid from the moment at which the length of its header is written, last of all; it is made void before
anything in it changes. Stores of a killed process up to its end are seen by all others, in their order.
"""

import hashlib
import mmap
import os
import struct
from collections.abc import Sequence

import msgspec

from l3_modeltools.schemas import SkippedSteps

__all__ = ["SLOTS", "Kept", "SlotFile", "choose_kept", "skips_before"]

SLOTS = 2
HEADER_BYTES = 4096
LENGTH = struct.Struct("<Q")


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What a slot holds. Of two states with the same values all tensors are equal, bit by bit."""

    run: str
    layout: str
    """Hash of the names, types and shapes of the weights, and of the optimizer's kind."""
    ranks: int
    sharded: bool
    skipped: str
    """Hash of the steps up to this one that were left out."""
    step: int
    tokens: int
    loss: float | None = None
    """Of the step, as of `grad_norm` and `learning_rate`: what a rank that is lost may not have told yet."""
    grad_norm: float | None = None
    learning_rate: float | None = None


class SlotFile:
    """One rank's memory file. `read` costs a page; room is taken by `reserve`."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.mapped: mmap.mmap | None = None

    def read(self) -> tuple[Kept | None, ...]:
        """Return what each slot holds; None: nothing whole."""
        return tuple(_parse(os.pread(self.descriptor, HEADER_BYTES, at)) for at in _headers())

    def is_reserved(self, slot_bytes: int) -> bool:
        """Say whether slots of so many bytes have their room."""
        return os.fstat(self.descriptor).st_size >= SLOTS * (HEADER_BYTES + slot_bytes)

    def reserve(self, slot_bytes: int) -> None:
        """Take room for slots of so many bytes. Raises OSError where there is no memory."""
        os.posix_fallocate(self.descriptor, 0, SLOTS * (HEADER_BYTES + slot_bytes))

    def reach(self, slot_bytes: int) -> mmap.mmap:
        """Map the file, whose slots are of so many bytes."""
        if self.mapped is None:
            self.mapped = mmap.mmap(self.descriptor, SLOTS * (HEADER_BYTES + slot_bytes))
        return self.mapped

    def begin(self, slot: int) -> None:
        """Make a slot void: its content is going to change."""
        os.pwrite(self.descriptor, LENGTH.pack(0), slot * HEADER_BYTES)

    def end(self, slot: int, kept: Kept) -> None:
        """Say what a slot holds from now on."""
        told = msgspec.json.encode(kept)
        os.pwrite(self.descriptor, told, slot * HEADER_BYTES + LENGTH.size)
        os.pwrite(self.descriptor, LENGTH.pack(len(told)), slot * HEADER_BYTES)

    def forget(self) -> None:
        """Make all slots void."""
        for slot in range(SLOTS):
            self.begin(slot)

    @staticmethod
    def content(slot: int, slot_bytes: int) -> int:
        """Return where the content of a slot begins, in bytes."""
        return SLOTS * HEADER_BYTES + slot * slot_bytes


def choose_kept(
    held: Sequence[Sequence[Kept | None]], like: Kept, skipped: Sequence[SkippedSteps]
) -> tuple[int, Kept] | None:
    """Choose the newest state among what the slots of each rank hold: the rank that has it, and what it is.

    It has to be of the run, the layout and the ranks of `like`, and to have left out what the run leaves out. Where
    weights are sharded every rank has to hold its part; the rank told is then 0.
    """
    fitting = [{kept.step: kept for kept in slots if kept and _fits(kept, like, skipped)} for slots in held]
    if not like.sharded:
        found = [(kept, rank) for rank, slots in enumerate(fitting) for kept in slots.values()]
        kept, rank = max(found, key=lambda one: (one[0].step, -one[1]), default=(None, 0))
        return None if kept is None else (rank, kept)
    common = set.intersection(*map(set, fitting)) if len(fitting) == like.ranks else set[int]()
    return (0, fitting[0][max(common)]) if common else None


def skips_before(skipped: Sequence[SkippedSteps], step: int) -> str:
    """Hash which steps up to `step` are left out: the state after it depends on them."""
    steps = sorted({one for part in skipped for one in range(part.first_step, min(part.last_step, step) + 1)})
    return hashlib.sha256(msgspec.json.encode(steps)).hexdigest()


def _fits(kept: Kept, like: Kept, skipped: Sequence[SkippedSteps]) -> bool:
    same = (kept.run, kept.layout, kept.ranks, kept.sharded) == (
        like.run,
        like.layout,
        like.ranks,
        like.sharded,
    )
    return same and kept.skipped == skips_before(skipped, kept.step)


def _headers() -> range:
    return range(0, SLOTS * HEADER_BYTES, HEADER_BYTES)


def _parse(header: bytes) -> Kept | None:
    if len(header) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack_from(header)
    return msgspec.json.decode(header[LENGTH.size : LENGTH.size + length], type=Kept) if length else None

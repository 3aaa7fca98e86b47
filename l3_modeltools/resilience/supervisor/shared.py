"""What supervisor and ranks share without files: memory that outlives a rank, and vanishes with the last of them."""

import os

import msgspec

from l3_modeltools.resilience.ends import LastWord
from l3_modeltools.resilience.heartbeat import Pulse, open_page, page_bytes

__all__ = ["Shared"]

STACKS_AT_MOST = 256 * 1024


class Shared:
    """Descriptors of a node's ranks: the page of heartbeats; for each rank memory, last word, stacks and log."""

    def __init__(self, ranks: int) -> None:
        self.page = _memory("page")
        os.ftruncate(self.page, page_bytes(ranks))
        view = open_page(self.page, ranks)
        self.pulses = tuple(Pulse(view, rank) for rank in range(ranks))
        self.memory = tuple(_memory(f"memory-{rank}") for rank in range(ranks))
        self.words = tuple(_memory(f"word-{rank}") for rank in range(ranks))
        self.stacks = tuple(_memory(f"stacks-{rank}") for rank in range(ranks))
        pipes = tuple(os.pipe() for _ in range(ranks))
        self.logs_read = tuple(pipe[0] for pipe in pipes)
        self.logs_write = tuple(pipe[1] for pipe in pipes)
        for descriptor in self.logs_read:
            os.set_blocking(descriptor, False)

    @property
    def inherited(self) -> tuple[int, ...]:
        """What the nursery gets."""
        return (self.page, *self.memory, *self.words, *self.stacks, *self.logs_write)

    def renew(self) -> None:
        """Forget what the ranks of an earlier generation said, but not the state that they left."""
        for descriptor in (*self.words, *self.stacks):
            _empty(descriptor)
        for pulse in self.pulses:
            pulse.clear()

    def forget_memory(self) -> None:
        """Let go of the state that ranks left: what is on the disk counts alone."""
        for descriptor in self.memory:
            _empty(descriptor)

    def word(self, rank: int) -> LastWord | None:
        """Return what a rank said when it ended; None where it was cut off or had no time to."""
        try:
            return msgspec.json.decode(_content(self.words[rank]), type=LastWord)
        except msgspec.MsgspecError:
            return None

    def forget_stacks(self) -> None:
        """Make room for the stacks of now."""
        for descriptor in self.stacks:
            _empty(descriptor)

    def stack(self, rank: int) -> str:
        """Return the stacks that a rank wrote when it was asked, as far as it has."""
        return _content(self.stacks[rank]).decode(errors="replace")


def _memory(name: str) -> int:
    return os.memfd_create(f"ogai-{name}")


def _content(descriptor: int) -> bytes:
    return os.pread(descriptor, STACKS_AT_MOST, 0)


def _empty(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)  # those who write share the place with us

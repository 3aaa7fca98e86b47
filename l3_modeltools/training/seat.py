"""What a rank gets from who started it: its number, a heart, memory that outlives it, and an ear for its last word."""

import mmap
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import NoReturn

import msgspec

from l3_modeltools.resilience import Heart, LastWord, page_bytes
from l3_modeltools.training.ending import describe_error, tell_error

__all__ = ["LastWords", "Seat", "flush_output", "seat_alone"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Seat:
    """A rank's place in a run.

    `memory` are descriptors of the memory files of all ranks of this node, in their order; none: nothing outlives
    the process. `say` hands the last word to the supervisor; None: nobody listens, as under torchrun.
    """

    rank: int
    ranks: int
    local_rank: int
    heart: Heart
    memory: tuple[int, ...] = ()
    generation: int = 0
    """How often the ranks were started before by this supervisor."""
    say: Callable[[LastWord], None] | None = None

    def leave(self, word: LastWord) -> NoReturn:
        """Say the last word and end this process at once: no peer, no thread and no disk is waited for."""
        if self.say is not None:
            self.say(word)
        flush_output()
        os._exit(word.exit_code)


def seat_alone() -> Seat:
    """Make the seat of a rank that nobody supervises, numbered as torchrun's variables say."""
    return Seat(
        rank=int(os.environ.get("RANK", "0")),
        ranks=int(os.environ.get("WORLD_SIZE", "1")),
        local_rank=int(os.environ.get("LOCAL_RANK", "0")),
        heart=Heart(mmap.mmap(-1, page_bytes(1)), 0),
    )


def flush_output() -> None:
    """Let go of what was printed; streams that are closed, or lead nowhere, do not matter any more."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()


class LastWords:
    """Within it a failure ends a rank that is listened to, at once; that of another rank is raised on.

    `keep` leaves the state in memory first, and returns its step.
    """

    def __init__(self, seat: Seat, keep: Callable[[], int | None] = lambda: None) -> None:
        self.seat, self.keep = seat, keep

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or self.seat.say is None:
            return
        tell_error(error, rank=self.seat.rank)
        word, kept = describe_error(error, self.seat.heart), None
        try:
            kept = self.keep()
        finally:  # what cannot be kept, as on a device that is gone, changes nothing else
            self.seat.leave(msgspec.structs.replace(word, kept_step=kept))

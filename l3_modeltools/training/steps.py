"""What belongs to a step, as pure functions of the run, the step and the rank: nothing here needs to be saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from l3_modeltools.schemas import Checkpointing, SkippedSteps

__all__ = ["Position", "is_due", "is_skipped", "micro_batches", "seed_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Position:
    """How far a run is: optimizer steps done, and tokens that went in on the way, padding not counted."""

    step: int = 0
    tokens: int = 0


def micro_batches(*, global_batch: int, micro_batch: int, rank: int, ranks: int) -> tuple[range, ...]:
    """Return the rows of a global batch that one rank works on, a micro batch at a time.

    `global_batch` is a multiple of `micro_batch` · `ranks`, which the `train` document's reader has checked.
    """
    share = global_batch // ranks
    begin = rank * share
    return tuple(range(row, row + micro_batch) for row in range(begin, begin + share, micro_batch))


def seed_of(seed: int, *, step: int, rank: int) -> int:
    """Return what the random generators of a rank are seeded with before a step."""
    digest = blake2b(f"{seed}/{step}/{rank}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def is_skipped(skipped: Sequence[SkippedSteps], step: int) -> bool:
    """Say whether a step is left out: it keeps its number and its samples, but no weight changes in it."""
    return any(part.first_step <= step <= part.last_step for part in skipped)


def is_due(checkpoint: Checkpointing, *, step: int, steps: int) -> bool:
    """Say whether the state is saved after `step` in any case: at every `every_steps`, and at the end.

    With the interval `auto` only the end is known before; else measured times decide.
    """
    return step == steps or (checkpoint.interval == "steps" and step % checkpoint.every_steps == 0)

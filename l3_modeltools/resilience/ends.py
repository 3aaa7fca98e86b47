"""How a rank ended, as it said itself and as its supervisor saw it."""

from dataclasses import dataclass
from typing import Literal

import msgspec

from l3_modeltools.resilience.heartbeat import Beat
from l3_modeltools.schemas import Section

__all__ = ["End", "LastWord"]


class LastWord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a rank said when it ended by itself; one that was killed leaves none."""

    kind: Literal["done", "stopped", "error", "peer_lost", "roll_back"]
    """`done`: all steps; `stopped`: a wish to end, state saved; `error`: a failure of its own; `peer_lost`: another
    rank went away; `roll_back`: the run goes back to its newest checkpoint, memory copies no longer count.
    """
    exit_code: int
    step: int = 0
    """Step it was in."""
    section: Section | None = None
    exception: str = ""
    """Its type, with the module: `torch.OutOfMemoryError`."""
    text: str = ""
    """What a person reads."""
    traceback: str = ""
    retry: bool = True
    """Whether trying again makes sense; False for what would come again for sure."""
    fault_id: int | None = None
    """The fault of the run that it has reported already and that made it end."""
    kept_step: int | None = None
    """The state after this step was left in memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """One rank's end as its supervisor saw it."""

    rank: int
    at: float
    """Seconds since the epoch."""
    exit_code: int
    """Below zero: minus the signal that ended it."""
    ordered: bool
    """Whether the supervisor ended it itself, because of others or of a verdict."""
    beat: Beat
    """Where it was last."""
    word: LastWord | None
    log: tuple[str, ...]
    """Its last lines, standard output and error together, oldest first."""

"""One rank of a run: what torchrun starts as `-m l3_modeltools.training RUN_DIR`."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from l0_infra.core.errors import OgaiError
from l3_modeltools.runs import Outcome, RunLayout, save_outcome
from l3_modeltools.training.allocator import keep_freed_memory
from l3_modeltools.training.plan import read_plan
from l3_modeltools.training.seat import Seat
from l3_modeltools.training.stop import StopWish

if TYPE_CHECKING:
    from l3_modeltools.training.loop import Ended
    from l3_modeltools.training.world import World

SIGNALLED = 128
"""What a shell adds to the number of the signal that ended a program."""


def main(directory: Path, seat: Seat | None = None) -> int:
    """Train the run in `directory` from where it is to its end; return the exit code.

    With a seat that is listened to, a failure does not return: the last word is said and the process ends.
    """
    wish = StopWish()
    keep_freed_memory()
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"  # a log is no terminal
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(RunLayout(directory).compiled))
    try:
        return _train(directory, wish)
    except OgaiError as error:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        print(f"rank {os.environ.get('RANK', '0')}: {error}{hint}", file=sys.stderr, flush=True)
        return error.exit_code


def _train(directory: Path, wish: StopWish) -> int:
    # a signal may come in the seconds that torch takes to load, so this is not at the top
    from l3_modeltools.training.world import open_world

    with open_world() as world:
        ended = _run(directory, wish, world)
        if ended.stopped:
            return SIGNALLED + (wish.signal or signal.SIGTERM)
        if world.is_chief:
            outcome = Outcome(
                step=ended.step,
                tokens=ended.tokens,
                loss=ended.loss,
                validation_loss=ended.validation_loss,
                ended_at=time.time(),
            )
            save_outcome(directory, outcome)
            print(f"done: {ended.step} steps", flush=True)
    return 0


def _run(directory: Path, wish: StopWish, world: "World") -> "Ended":
    """Take all steps. What holds on to the process group goes with this frame, before the group itself."""
    from l3_modeltools.training.session import open_loop

    plan = read_plan(directory, ranks=world.size)
    with open_loop(plan, world=world, wants_stop=wish.is_wished) as (loop, begun):
        return loop.run(begun)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""One rank of a run, started by torchrun: `python -m torch.distributed.run … -m l3_modeltools.training RUN_DIR`."""

import os
import sys
import time
from pathlib import Path

from l0_infra.core.errors import OgaiError
from l3_modeltools.training.allocator import keep_freed_memory
from l3_modeltools.training.outcome import RunOutcome, save_outcome
from l3_modeltools.training.plan import read_plan
from l3_modeltools.training.stop import StopWish

SIGNALLED = 128
"""What a shell adds to the number of the signal that ended a program."""


def main(directory: Path) -> int:
    """Train the run in `directory` from where it is to its end; return the exit code."""
    wish = StopWish()
    keep_freed_memory()
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(directory / "cache"))
    try:
        return _train(directory, wish)
    except OgaiError as error:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        print(f"rank {os.environ.get('RANK', '0')}: {error}{hint}", file=sys.stderr, flush=True)
        return error.exit_code


def _train(directory: Path, wish: StopWish) -> int:
    # torch and transformers take seconds to load; a signal in that time must be heard
    from l3_modeltools.training.session import open_loop
    from l3_modeltools.training.world import open_world

    with open_world() as world:
        plan = read_plan(directory, ranks=world.size)
        with open_loop(plan, world=world, wants_stop=wish.is_wished) as (loop, done):
            ended = loop.run(done)
        if ended.stopped:
            return SIGNALLED + (wish.signal or 15)
        if world.is_chief:
            save_outcome(
                directory,
                RunOutcome(
                    step=ended.step,
                    tokens=ended.tokens,
                    loss=ended.loss,
                    validation_loss=ended.validation_loss,
                    ended_at=time.time(),
                ),
            )
            print(f"done: {ended.step} steps", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

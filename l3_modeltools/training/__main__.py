"""One rank of a run: what torchrun starts as `-m l3_modeltools.training RUN_DIR`."""

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from l0_infra.core.errors import OgaiError
from l3_modeltools.resilience import LastWord
from l3_modeltools.runs import RESTART, SIGNALLED, RunLayout
from l3_modeltools.training.allocator import keep_freed_memory
from l3_modeltools.training.ending import tell_error
from l3_modeltools.training.plan import read_plan
from l3_modeltools.training.seat import LastWords, Seat, seat_alone
from l3_modeltools.training.stop import StopWish

if TYPE_CHECKING:
    from l3_modeltools.training.loop import Ended
    from l3_modeltools.training.world import World


def main(directory: Path, seat: Seat | None = None) -> int:
    """Train the run in `directory` from where it is to its end; return the exit code.

    With a seat that is listened to a failure does not return: the last word is said and the process ends.
    """
    wish, seat = StopWish(), seat or seat_alone()
    keep_freed_memory()
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"  # a log is no terminal
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(RunLayout(directory).compiled))
    try:
        with LastWords(seat):
            return _train(directory, wish, seat)
    except OgaiError as error:
        tell_error(error, rank=seat.rank)
        return error.exit_code


def _train(directory: Path, wish: StopWish, seat: Seat) -> int:
    # a signal may come in the seconds that torch takes to load, so this is not at the top
    from l3_modeltools.training.world import open_world

    with open_world() as world:
        ended = _run(directory, wish, world, seat)
        if world.is_chief and not (ended.stopped or ended.rolled_back):
            print(f"done: {ended.step} steps", flush=True)
    word = _last_word(ended, wish)
    seat.heart.enter("ended", ended.step)
    if seat.say is not None:
        seat.say(word)
    return word.exit_code


def _run(directory: Path, wish: StopWish, world: "World", seat: Seat) -> "Ended":
    """Take all steps. What holds on to the process group goes with this frame, before the group itself."""
    from l3_modeltools.training.session import open_session

    plan = read_plan(directory, ranks=world.size)
    with (
        open_session(plan, world=world, seat=seat, wants_stop=wish.is_wished) as session,
        LastWords(seat, session.loop.live.leave_behind),
    ):
        return session.train()


def _last_word(ended: "Ended", wish: StopWish) -> LastWord:
    if ended.rolled_back:
        return LastWord(kind="roll_back", exit_code=RESTART, step=ended.step)
    if ended.stopped:
        return LastWord(
            kind="stopped", exit_code=SIGNALLED + (wish.signal or signal.SIGTERM), step=ended.step
        )
    return LastWord(kind="done", exit_code=0, step=ended.step)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""A run on one rank for as long as it lasts: what must be closed at its end is opened here, in order."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from l3_modeltools.data import Prefetch
from l3_modeltools.runs import Outcome, save_outcome
from l3_modeltools.training.assemble import make_loop
from l3_modeltools.training.board import TensorBoard
from l3_modeltools.training.ground import Ground, prepare_ground
from l3_modeltools.training.keeper import Keeper
from l3_modeltools.training.logbook import Logbook
from l3_modeltools.training.loop import Batches, Ended, Loop
from l3_modeltools.training.metrics import JsonLines
from l3_modeltools.training.plan import Plan
from l3_modeltools.training.report import Events, RunListener
from l3_modeltools.training.seat import Seat
from l3_modeltools.training.steps import is_skipped
from l3_modeltools.training.world import World

__all__ = ["Session", "open_session"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """A run on one rank, ready to take steps."""

    ground: Ground
    keeper: Keeper
    loop: Loop

    def train(self) -> Ended:
        """Take all steps and write the outcome, or come to where the run is told to stop or has to go back."""
        ended = self.loop.run(self.ground.begun)
        if ended.stopped or ended.rolled_back:
            return ended
        return replace(ended, stopped=not self._write_outcome(ended))

    def _write_outcome(self, ended: Ended) -> bool:
        """Write it; return False where a wish to stop came while there was no room for it."""
        outcome = Outcome(
            step=ended.step,
            tokens=ended.tokens,
            loss=ended.loss,
            validation_loss=ended.validation_loss,
            ended_at=time.time(),
        )
        work = partial(save_outcome, self.ground.plan.directory, outcome)
        return self.keeper.write(work, what="the outcome could not be written")


@contextmanager
def open_session(
    plan: Plan, *, world: World, seat: Seat, wants_stop: Callable[[], bool]
) -> Iterator[Session]:
    """Put a run together.

    At the end of the context the last save is on the disk. Raises OgaiError where data, first weights or
    checkpoints cannot be had.
    """
    ground = prepare_ground(plan, world=world, seat=seat)
    with ExitStack() as stack:
        listeners = stack.enter_context(_listening(ground))
        saver = stack.enter_context(ground.state.saving(_tell_saved(listeners, ground.logbook)))
        keeper = Keeper(
            saver,
            ground.state.values,
            world=world,
            heart=seat.heart,
            logbook=ground.logbook,
            wants_stop=wants_stop,
        )
        batches = stack.enter_context(_batches(ground))
        yield Session(
            ground=ground, keeper=keeper, loop=make_loop(ground, keeper, batches, listeners, wants_stop)
        )


@contextmanager
def _batches(ground: Ground) -> Iterator[Batches]:
    """Yield the micro batches of each step that is not left out, got ready in the background."""
    plan = ground.plan
    wanted = (
        step for step in range(ground.done + 1, plan.steps + 1) if not is_skipped(plan.run.skipped, step)
    )
    with Prefetch(ground.loader, wanted, ground.rows) as batches:
        yield ground.drills.batches(batches)


@contextmanager
def _listening(ground: Ground) -> Iterator[tuple[RunListener, ...]]:
    """Yield who is told: on the first rank files, console and engine, on the others nobody."""
    if not ground.world.is_chief:
        yield ()
        return
    plan, console = ground.plan, ground.console
    listeners: list[RunListener] = [
        JsonLines(plan.directory),
        TensorBoard(plan.directory, done=ground.done, say=console.say),
        console,
    ]
    if events := os.environ.get("OGAI_EVENTS"):
        listeners.append(Events(Path(events), steps=plan.steps))
    try:
        yield tuple(listeners)
    finally:
        for listener in listeners:
            listener.close()


def _tell_saved(listeners: Sequence[RunListener], logbook: Logbook) -> Callable[[int, float], None]:
    """Return what tells of a step that is safe, and of the seconds that its save held the loop up."""

    def tell(step: int, seconds: float) -> None:
        logbook.mark("saved", step=step, seconds=seconds)
        for listener in listeners:
            listener.saved(step)

    return tell

"""The state of a run on disk: where it goes on from, and how it is saved."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from torch import nn
from torch.optim import Optimizer

from l3_modeltools.checkpoint import Saver, Shelf, load_state, restore_state, training_state
from l3_modeltools.schemas import Checkpointing
from l3_modeltools.training.loop import Save
from l3_modeltools.training.steps import Position
from l3_modeltools.training.world import World

__all__ = ["RunState"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunState:
    """What is saved of a run: model and optimizer. All else of a step follows from its number."""

    shelf: Shelf
    run: str
    architecture_sha256: str
    keep: Checkpointing
    model: nn.Module
    optimizer: Optimizer
    before_write: Callable[[], None]
    """Called before each write to the disk; raises OSError where one is to fail."""

    def load(self, *, world: World, say: Callable[[str], None]) -> Position:
        """Load the newest checkpoint that is whole and this run's; return how far it was, step 0 where there is none.

        The first rank chooses, having read every byte, and says which it passed over and why.
        """
        chosen = self._choose(say) if world.is_chief else Position()
        at = Position(step=world.from_chief(chosen.step), tokens=world.from_chief(chosen.tokens))
        if at.step:
            state = training_state(self.model, self.optimizer)
            load_state(self.shelf.place(at.step), state, architecture_sha256=self.architecture_sha256)
            restore_state(self.model, self.optimizer, state)
            say(f"resumes after step {at.step}")
        return at

    @contextmanager
    def saving(self, on_saved: Callable[[int], None]) -> Iterator[Save]:
        """Yield what saves; `on_saved` hears, on the first rank, of each step that is safe.

        At the end of the context the last save is on the disk. Raises MachineError where the disk has no room.
        """
        with Saver(
            self.shelf,
            run=self.run,
            architecture_sha256=self.architecture_sha256,
            keep=self.keep,
            on_saved=lambda manifest: on_saved(manifest.step),
            before_write=self.before_write,
        ) as saver:

            def save(*, step: int, tokens: int) -> None:
                saver.save(training_state(self.model, self.optimizer), step=step, tokens=tokens)

            yield save

    def _choose(self, say: Callable[[str], None]) -> Position:
        chosen, passed_over = self.shelf.newest_valid(
            run=self.run, architecture_sha256=self.architecture_sha256
        )
        for found in passed_over:
            say(f"passed over {found.directory.name}: {found.fault}")
        if chosen is None or chosen.manifest is None:
            return Position()
        return Position(step=chosen.step, tokens=chosen.manifest.tokens)

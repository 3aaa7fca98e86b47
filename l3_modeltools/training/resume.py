"""Where a run goes on: after the newest checkpoint that is whole and its own, or at the beginning."""

from collections.abc import Callable

from torch import nn
from torch.optim import Optimizer

from l3_modeltools.checkpoint import Shelf, load_state, restore_state, training_state
from l3_modeltools.training.world import World

__all__ = ["resume"]


def resume(
    shelf: Shelf,
    model: nn.Module,
    optimizer: Optimizer,
    *,
    run: str,
    architecture_sha256: str,
    world: World,
    say: Callable[[str], None],
) -> int:
    """Load the newest valid checkpoint into `model` and `optimizer`; return its step, 0 where there is none.

    The first rank chooses, having read every byte, and says which it passed over and why.
    """
    step = -1
    if world.is_chief:
        chosen, passed_over = shelf.newest_valid(run=run, architecture_sha256=architecture_sha256)
        for found in passed_over:
            say(f"passed over {found.directory.name}: {found.fault}")
        step = chosen.step if chosen else -1
    step = world.from_chief(step)
    if step < 0:
        return 0
    state = training_state(model, optimizer)
    load_state(shelf.place(step), state, architecture_sha256=architecture_sha256)
    restore_state(model, optimizer, state)
    say(f"resumes after step {step}")
    return step

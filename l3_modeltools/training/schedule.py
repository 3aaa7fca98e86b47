"""The learning rate as a pure function of the step, so that a resume restores nothing and counts nothing twice."""

import math

from l3_modeltools.schemas import Constant, Cosine, Optimizer, WarmupStableDecay

__all__ = ["learning_rate"]


def learning_rate(optimizer: Optimizer, *, step: int, steps: int) -> float:
    """Return the learning rate of step `step` of `steps`, the first being 1.

    It rises linearly, reaching its highest with the last step of the warm-up, and ends with the last step at
    `final_share` of it.
    """
    schedule = optimizer.schedule
    if step < schedule.warmup_steps:
        return optimizer.learning_rate * step / schedule.warmup_steps
    return optimizer.learning_rate * _share(schedule, step, steps)


def _share(schedule: Constant | Cosine | WarmupStableDecay, step: int, steps: int) -> float:
    """Return the share of the highest rate after the warm-up."""
    match schedule:
        case Constant():
            return 1.0
        case Cosine(warmup_steps=warmup, final_share=final):
            done = (step - warmup) / max(1, steps - warmup)
            return final + (1 - final) * (1 + math.cos(math.pi * done)) / 2
        case WarmupStableDecay(decay_steps=decay, final_share=final):
            return 1 - (1 - final) * max(0, step - (steps - decay)) / decay

"""What the model goes on to write on the way, so that a person can see it learn."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from l3_modeltools.runs import Sample
from l3_modeltools.schemas import Validation
from l3_modeltools.training.generate import generate, load_tokenizer
from l3_modeltools.training.parallel import ParallelModel
from l3_modeltools.training.steps import seed_of
from l3_modeltools.training.world import World

__all__ = ["sampler"]


def sampler(
    model: ParallelModel, wish: Validation, tokenizer: Path, *, seed: int, world: World
) -> Callable[[int], Iterator[Sample]]:
    """Return what writes the samples after a step.

    Where weights are sharded every rank has to take part; else the first does it alone.
    """
    if wish.prompts:
        load_tokenizer(tokenizer)  # a missing one is told before hours of training
    if not (world.is_chief or model.is_sharded):
        return lambda step: iter(())
    return partial(_samples, model, wish, tokenizer, seed)


def _samples(
    model: ParallelModel, wish: Validation, tokenizer: Path, seed: int, step: int
) -> Iterator[Sample]:
    for prompt in wish.prompts:
        with model.arithmetic():
            text = generate(
                model.inner,
                tokenizer,
                prompt,
                max_new_tokens=wish.max_new_tokens,
                seed=seed_of(seed, step=step, rank=0),
            )
        yield Sample(step=step, prompt=prompt, text=text)

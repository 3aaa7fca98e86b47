"""The order in which a pipeline stage works on micro batches."""

from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Literal

from l3_modeltools.schemas import Strategy

__all__ = ["Action", "Kind", "actions_of"]

Kind = Literal["forward", "backward", "weights"]
"""`weights`: gradients of weights, where the backward pass leaves them for later."""


@dataclass(frozen=True, slots=True)
class Action:
    """One pass of a micro batch through a virtual stage; a batch's number counts its passes through that one."""

    kind: Kind
    chunk: int


def actions_of(strategy: Strategy, *, stage: int, microbatches: int) -> tuple[Action, ...]:
    """All passes of a step on a pipeline stage, in order.

    1F1B: arXiv:2104.04473, section 2.2.1. Interleaved: section 2.2.2, virtual stages in turn for groups of pp micro
    batches, after 2 (pp - p - 1) + (vp - 1) pp forward passes as in Megatron-LM. Zero bubble: the memory-bound
    schedule H1 of arXiv:2401.10241, section 3, in which stage p is p micro batches late with the gradients of weights,
    so that each keeps something of pp micro batches.
    """
    pp, vp = strategy.degrees.pp, strategy.degrees.vp
    if strategy.pipeline.schedule == "zero_bubble":
        return _zero_bubble(stage, pp, microbatches)
    order = _turns(pp, vp, microbatches)
    back = [vp - 1 - chunk for chunk in order]
    warm = pp - stage - 1 if vp == 1 else 2 * (pp - stage - 1) + (vp - 1) * pp
    warm = min(warm, len(order))
    forward = [Action("forward", chunk) for chunk in order]
    backward = [Action("backward", chunk) for chunk in back]
    pairs = zip(forward[warm:], backward, strict=False)
    return (*forward[:warm], *chain.from_iterable(pairs), *backward[len(order) - warm :])


def _turns(pp: int, vp: int, microbatches: int) -> list[int]:
    """The virtual stage of each forward pass."""
    sizes = [min(pp, microbatches - begin) for begin in range(0, microbatches, pp)]
    return [chunk for size in sizes for chunk in range(vp) for _ in range(size)]


def _zero_bubble(stage: int, pp: int, microbatches: int) -> tuple[Action, ...]:
    forward = [Action("forward", 0)] * microbatches
    warm = min(pp - stage - 1, microbatches)
    late = [None] * min(stage, microbatches) + [Action("weights", 0)] * (
        microbatches - min(stage, microbatches)
    )
    steady = zip_longest(forward[warm:], [Action("backward", 0)] * microbatches, late)
    left = [Action("weights", 0)] * min(stage, microbatches)
    return (*forward[:warm], *(one for one in chain.from_iterable(steady) if one), *left)

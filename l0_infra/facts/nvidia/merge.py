"""The same GPUs told of in several forms, made one list."""

import msgspec

from l0_infra.facts.filled import filled
from l0_infra.schemas import Accelerator

__all__ = ["merge"]

Gpus = tuple[Accelerator, ...]


def merge(first: Gpus, second: Gpus) -> Gpus:
    """Fill what `first` does not know with what `second` knows, and add the GPUs that only `second` tells of.

    A GPU's number is the one that `second` prints: the document, which comes first, tells an order only.
    """
    pairs = [(gpu, next((other for other in second if _same(gpu, other)), None)) for gpu in first]
    both = [_filled(gpu, other) for gpu, other in pairs]
    matched = [other for _, other in pairs]
    added = [gpu for gpu in second if not any(gpu is other for other in matched)]
    by_index = {gpu.index: gpu for gpu in reversed((*both, *added))}
    return tuple(by_index[index] for index in sorted(by_index))


def _same(one: Accelerator, other: Accelerator) -> bool:
    for own, its in ((one.uuid, other.uuid), (one.pci, other.pci)):
        if own is not None and its is not None:
            return own == its
    return one.index == other.index


def _filled(gpu: Accelerator, other: Accelerator | None) -> Accelerator:
    if other is None:
        return gpu
    return msgspec.structs.replace(filled(gpu, other), id=other.id, index=other.index)

"""Which part of a state each rank copies and writes, so that what all hold alike costs each a share only."""

from collections.abc import Callable, Iterator, Mapping

import torch
from torch.distributed.tensor import DTensor

__all__ = ["State", "share_of", "state_bytes"]

State = Mapping[str, object]
"""A tree of mappings; its leaves are tensors, or values that `pickle` knows."""

Path = tuple[str, ...]

OVERHEAD_BYTES = 4096
"""What a tensor of a rank takes beside its values, at most: its header, its alignment, its entry in the index."""


def share_of(state: State, *, rank: int, world_size: int) -> dict[str, object]:
    """Return the part of `state` that `rank` writes: its shards, and a share of what every rank holds alike.

    The shares of all ranks make up the whole; the same on every rank, for they depend on names and sizes alone.
    """
    owners = _owners(state, world_size)
    return _pick(state, (), lambda path: owners.get(path, rank) == rank)


def state_bytes(state: State, world_size: int) -> int:
    """Estimate from above, in bytes, what the whole state takes on the disk, the shards of all ranks with it."""
    tensors = [value for _, value in _leaves(state) if isinstance(value, torch.Tensor)]
    # A sharded tensor's shape is that of the whole.
    return sum(tensor.numel() * tensor.element_size() + OVERHEAD_BYTES * world_size for tensor in tensors)


def _owners(state: State, world_size: int) -> dict[Path, int]:
    """Deal what is not sharded out to the ranks, the largest first, each to the one that has least."""
    sizes = {path: _size(value) for path, value in _leaves(state) if not isinstance(value, DTensor)}
    loads, owners = [0] * world_size, {}
    for path in sorted(sizes, key=lambda path: (-sizes[path], path)):
        owner = loads.index(min(loads))
        owners[path] = owner
        loads[owner] += sizes[path]
    return owners


def _size(value: object) -> int:
    return value.numel() * value.element_size() if isinstance(value, torch.Tensor) else 1


def _leaves(node: State, path: Path = ()) -> Iterator[tuple[Path, object]]:
    for name, value in node.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, (*path, name))
        else:
            yield (*path, name), value


def _pick(node: State, path: Path, wanted: Callable[[Path], bool]) -> dict[str, object]:
    picked: dict[str, object] = {}
    for name, value in node.items():
        here = (*path, name)
        if isinstance(value, Mapping) and value:
            if part := _pick(value, here, wanted):
                picked[name] = part
        elif wanted(here):
            picked[name] = value
    return picked

"""Whether a place has the nodes, processors and accelerators that a training asks for, of a kind that can do it."""

import re
from collections.abc import Iterator

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.units import format_bytes, format_count
from l3_modeltools.planning.place import DeviceKind, Place
from l3_modeltools.schemas import Train

__all__ = ["require_resources"]

WITHOUT_BF16 = re.compile(r"\b(V100|P100|P40|P4|T4|K80|GTX|TITAN|RTX 20\d\d|910A?)\b", re.IGNORECASE)
"""Names of accelerators that do not compute in bf16: the usual ones of NVIDIA before Ampere, the first Ascend 910."""

Shortage = tuple[str, str, str, str]


def require_resources(train: Train, place: Place) -> DeviceKind:
    """Return the kind of device it runs on; UnsatisfiableError, with the nearest, for the first thing missing."""
    for where, found, expected, hint in _shortages(train, place):
        raise UnsatisfiableError(where, found=found, expected=expected, hint=hint)
    return place.accelerators[0].kind if train.resources.gpus_per_node else "cpu"


def _shortages(train: Train, place: Place) -> Iterator[Shortage]:
    wish, there = train.resources, len(place.accelerators)
    cpus = wish.tasks_per_node * wish.cpus_per_task
    if wish.nodes > place.nodes:
        has = format_count(place.nodes, "node")
        yield "resources.nodes", f"{wish.nodes}", f"at most {has}", f"nearest: `nodes: {place.nodes}`"
    if wish.gpus_per_node > there:
        has = format_count(there, "accelerator")
        yield (
            "resources.gpus_per_node",
            f"{wish.gpus_per_node}",
            f"at most {has} on a node",
            f"nearest: `gpus_per_node: {there}`",
        )
    if cpus > place.cpus:
        found = f"tasks_per_node {wish.tasks_per_node} · cpus_per_task {wish.cpus_per_task} = {cpus}"
        nearest = place.cpus // wish.cpus_per_task
        hint = (
            f"nearest: `tasks_per_node: {nearest}`" if nearest else f"nearest: `cpus_per_task: {place.cpus}`"
        )
        yield "resources.tasks_per_node", found, f"at most {format_count(place.cpus, 'CPU')}", hint
    if (wish.memory_bytes_per_node or 0) > place.memory_bytes:
        found, has = format_bytes(wish.memory_bytes_per_node or 0), format_bytes(place.memory_bytes)
        hint = f"nearest: `memory_bytes_per_node: {place.memory_bytes}`"
        yield "resources.memory_bytes_per_node", found, f"at most {has}", hint
    yield from _imprecise(train, place)


def _imprecise(train: Train, place: Place) -> Iterator[Shortage]:
    models = [one.model for one in place.accelerators[: train.resources.gpus_per_node]]
    old = next((model for model in models if WITHOUT_BF16.search(model)), None)
    if old is not None and train.compute.precision == "bf16":
        yield (
            "compute.precision",
            f"`bf16` on {old}",
            "a precision it computes in",
            "nearest: `precision: fp32`",
        )

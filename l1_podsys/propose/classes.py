"""Classes of equal nodes, proposed from what nodes are made of."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from l0_infra.schemas import NodeFacts

__all__ = ["propose_classes"]

GIB = 2**30
TOLERANCE = 1.1
MODEL = re.compile(r"(?=.*[0-9])(?![0-9]+(GB|GiB|G)$)[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*")
"""A word of a product's name that tells one product from another: `H100`, `910B3`, but not `80GB`."""


def propose_classes(facts: Mapping[str, NodeFacts]) -> Mapping[str, str]:
    """Name a class for each node: by its accelerators, else `cpu`; by processors and memory where those differ.

    Machines alike tell slightly different sizes of memory: what lies within a tenth is one size.
    """
    kinds: dict[str, list[str]] = {}
    for name, one in facts.items():
        kinds.setdefault(_kind(one), []).append(name)
    return {
        name: kind if len(alike) == 1 else f"{kind}-{size}"
        for kind, names in kinds.items()
        for alike in [_by_size(names, facts)]
        for size, members in alike.items()
        for name in members
    }


def _by_size(names: Sequence[str], facts: Mapping[str, NodeFacts]) -> Mapping[str, list[str]]:
    """Put nodes of as many processors and about as much memory together."""
    found: list[tuple[tuple[int, int], list[str]]] = []
    for name in sorted(names, key=lambda one: _size(facts[one])):
        cpus, memory = _size(facts[name])
        if found and found[-1][0][0] == cpus and memory <= found[-1][0][1] * TOLERANCE:
            found[-1][1].append(name)
        else:
            found.append(((cpus, memory), [name]))
    return {f"{cpus}c-{round(memory / GIB)}g": members for (cpus, memory), members in found}


def _kind(facts: NodeFacts) -> str:
    counted = Counter(_model(one.model or one.vendor) for one in facts.accelerators)
    return "-".join(f"{model}x{count}" for model, count in sorted(counted.items())) or "cpu"


def _model(name: str) -> str:
    words = [word for word in re.split(r"[\s/_-]+", name) if MODEL.fullmatch(word)]
    return re.sub(r"[^a-z0-9]", "", (words[0] if words else name).lower()) or "accelerator"


def _size(facts: NodeFacts) -> tuple[int, int]:
    return facts.cpu.threads or 0, facts.memory.total_bytes or 0

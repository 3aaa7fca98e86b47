"""Derivations of what forward passes keep: micro batches in flight, layers by how they are recomputed, tensors."""

import re
from collections.abc import Iterator, Mapping

from l3_modeltools.planning.cost.bytes.account import like_of
from l3_modeltools.planning.cost.bytes.ends import first_bytes, last_bytes
from l3_modeltools.planning.cost.bytes.flight import in_flight
from l3_modeltools.planning.cost.bytes.layer import layers_of
from l3_modeltools.planning.cost.bytes.place import KINDS, Chunk, Kind, Stage, stages_of
from l3_modeltools.planning.cost.bytes.tensors import Role, layer_tensors, rank_of
from l3_modeltools.planning.cost.bytes.terms import StageMemory
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, inputs

__all__ = ["explain_activations"]

MODES = ("full", "selective", "plain")
MEANING = {
    "full": "bytes that a layer keeps which is recomputed in full: its input",
    "selective": "bytes that a layer keeps which is recomputed in part",
    "plain": "bytes that a layer keeps of which nothing is recomputed",
}

ROLES: Mapping[Role, str] = {
    "input": "the layer's input",
    "norm": "of a norm, or of the router",
    "gathered": "gathered over the tensor-parallel group",
    "operand": "an operand of a product",
    "core": "scores, and what is made of them",
    "result": "what attention gives, and its sums",
    "wide": "what the first products of the feed-forward part give",
    "activation": "what the activation function makes of that",
    "mask": "a mask of dropout",
}


def explain_activations(setting: Setting, number: int, found: StageMemory) -> Derivation:
    """Derive the term of a stage by its virtual stages: those that keep the same are told once, in flight together."""
    stage, flying = stages_of(setting)[number], in_flight(setting)[number]
    kept = like_of(setting, stage).kept
    groups: dict[int, list[int]] = {}
    for v, size in enumerate(kept):
        groups.setdefault(size, []).append(v)
    several = len(groups) > 1
    parts, counts, terms = [], [], []
    for at, virtual in enumerate(groups.values()):
        suffix = f"_{at}" if several else ""
        named = (
            f"virtual stage{'s' * (len(virtual) > 1)} {_ranges(virtual)}" if len(kept) > 1 else "the stage"
        )
        parts.append(_kept(setting, stage, virtual[0], kept[virtual[0]], f"kept{suffix}", named))
        counts.append(
            (f"flying{suffix}", sum(flying[v] for v in virtual), f"micro batches in flight on {named}")
        )
        terms.append(f"flying{suffix} * kept{suffix}")
    return Derivation(
        name="activations",
        meaning="what forward passes keep for backward ones",
        unit="bytes",
        value=float(found.activations),
        formula=" + ".join(terms),
        inputs=inputs(*counts),
        parts=tuple(parts),
        source="arXiv:2205.05198, section 4; in flight as planning/cost/bytes/flight.py says",
    )


def _ranges(numbers: list[int]) -> str:
    """Like `0-5`, or `0, 6`."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return ", ".join(map(str, numbers))


def _kept(setting: Setting, stage: Stage, v: int, value: int, name: str, named: str) -> Derivation:
    """What a virtual stage keeps of one micro batch: layers by kind and mode, and the ends."""
    dealt = list(_dealt(stage.chunks[v]))
    counts = [(f"n_{kind}_{mode}", many, f"{kind} layers") for kind, mode, many in dealt]
    parts = [_layer(setting, kind, mode) for kind, mode, _ in dealt]
    ends = first_bytes(rank_of(setting)) * (stage.first and v == 0)
    ends += last_bytes(rank_of(setting)) * (stage.last and v == len(stage.chunks) - 1)
    again = sum(many * part.value for (_, _, many), part in zip(dealt, parts, strict=True)) + ends - value
    formula = " + ".join([*(f"n_{part.name} * {part.name}" for part in parts), "ends"])
    given: list[tuple[str, float, str]] = [
        *counts,
        ("ends", ends, "behind the embedding and of the final norm, where they are"),
    ]
    if again:
        given.append(("again", again, "what some layers gather once more instead of keeping it"))
    return Derivation(
        name=name,
        meaning=f"of one micro batch on {named}",
        unit="bytes",
        value=float(value),
        formula=f"{formula} - again" if again else formula,
        inputs=inputs(*given),
        parts=tuple(parts),
    )


def _dealt(chunk: Chunk) -> Iterator[tuple[Kind, str, int]]:
    """Kinds of layers, how they are recomputed, and how many there are of each."""
    for kind, modes in zip(KINDS, chunk.dealt(), strict=True):
        for mode, many in zip(MODES, modes, strict=True):
            if many:
                yield kind, mode, many


def _layer(setting: Setting, kind: Kind, mode: str) -> Derivation:
    """What a layer keeps; of one that recomputes nothing, each tensor."""
    rank = rank_of(setting)
    layer = layers_of(rank)[KINDS.index(kind)]
    value = {"full": layer.full, "selective": layer.selective, "plain": layer.kept}[mode]
    tensors = layer_tensors(rank, sparse=kind == "sparse") if mode == "plain" and kind != "further" else ()
    rows: list[tuple[str, int, str]] = [
        (_slug(tensor.name), tensor.size, ROLES[tensor.role]) for tensor in tensors if tensor.size
    ]
    return Derivation(
        name=f"{kind}_{mode}",
        meaning=MEANING[mode],
        unit="bytes",
        value=float(value),
        formula=" + ".join(symbol for symbol, _, _ in rows) or "bytes",
        inputs=inputs(*(rows or [("bytes", value, "planning/cost/bytes/layer.py")])),
        source="arXiv:2205.05198, section 4.1; tensors as planning/cost/bytes/tensors.py lists them",
    )


def _slug(name: str) -> str:
    return re.sub(r"\W+", "_", name)

"""Derivations of what lasts from step to step: weights, gradients, and what the optimizer keeps."""

from collections.abc import Iterator

from l3_modeltools.planning.cost.bytes.parameters import Parameters, cut_parameters, stage_parameters
from l3_modeltools.planning.cost.bytes.place import KINDS, Stage
from l3_modeltools.planning.cost.bytes.states import (
    Sharing,
    gathered_bytes,
    optimizer_bytes,
    sharing_of,
    weight_bytes,
)
from l3_modeltools.planning.cost.bytes.terms import StageMemory
from l3_modeltools.planning.cost.setting import FORMAT_BYTES, Setting
from l3_modeltools.planning.explain.derivation import Derivation, Input, inputs

__all__ = ["explain_states"]

ONE, ALONE = Parameters(1), Sharing(1, 1)
"""One number that nobody shares: what the account says of it are the bytes of each."""

SHARED, EXPERTS = "shared_parameters", "expert_parameters"


def explain_states(setting: Setting, stage: Stage, found: StageMemory) -> Iterator[Derivation]:
    """Derive the three terms of a stage from its parameters, and those from its layers."""
    zero, pp = setting.strategy.zero_stage, setting.strategy.degrees.pp
    whole = gathered_bytes(setting, ONE) if zero == 3 and pp > 1 else 0
    weight = weight_bytes(setting, ONE, ALONE) - whole
    gradient, moments = FORMAT_BYTES[setting.practice.gradients], optimizer_bytes(setting, ONE, ALONE)
    yield _state(
        *(setting, stage, "weights", "weights that last from step to step", found.weights),
        each=weight,
        whole=whole,
        dealt=zero == 3,
        source="arXiv:1910.02054, section 5",
    )
    yield _state(
        *(setting, stage, "gradients", "summed gradients", found.gradients),
        each=gradient,
        whole=gradient if zero >= 2 and pp > 1 and found.gradients else 0,
        dealt=zero >= 2,
        source="arXiv:1910.02054, section 5",
    )
    yield _state(
        *(setting, stage, "master_and_moments", "AdamW's moments, and fp32 weights beside 16-bit ones"),
        found.master_and_moments,
        each=moments,
        dealt=zero >= 1,
        source="arXiv:1910.02054, section 3",
    )


def _state(
    setting: Setting,
    stage: Stage,
    name: str,
    meaning: str,
    value: int,
    *,
    each: int,
    dealt: bool,
    source: str,
    whole: int = 0,
) -> Derivation:
    """So many bytes of each parameter, or of a share of them among copies, and with a pipeline of all besides."""
    experts = stage_parameters(setting, stage).experts > 0
    names = [SHARED, EXPERTS] if experts else [SHARED]
    given = list(inputs(("each", each, "bytes of a parameter, by the formats of the training")))
    if dealt:
        formula = " + ".join(
            f"ceil({one} * each / {group})"
            for one, group in zip(names, ("copies", "expert_copies"), strict=False)
        )
        given += _groups(setting, experts=experts)
    else:
        formula = f"({' + '.join(names)}) * each"
    if whole:
        formula += f" + ({' + '.join(names)}) * whole"
        given += inputs(
            ("whole", whole, "bytes of each that stay whole through the step, for its micro batches")
        )
    return Derivation(
        name=name,
        meaning=meaning,
        unit="bytes",
        value=float(value),
        formula=formula,
        inputs=tuple(given),
        parts=tuple(_parameters(setting, stage, experts=experts)),
        source=source,
    )


def _groups(setting: Setting, *, experts: bool) -> Iterator[Input]:
    sharing = sharing_of(setting)
    yield from inputs(("copies", sharing.shared, "ranks that hold the same: dp times cp"))
    if experts:
        yield from inputs(
            ("expert_copies", sharing.experts, "ranks that hold the same experts: dp cp tp / ep")
        )


def _parameters(setting: Setting, stage: Stage, *, experts: bool) -> Iterator[Derivation]:
    """Numbers that a rank holds, by kinds of layers and ends; those of experts apart."""
    held, cut = stage_parameters(setting, stage), cut_parameters(setting)
    there = [kind for kind in range(len(KINDS)) if stage.count(kind)]
    counts = inputs(*((f"n_{KINDS[kind]}", stage.count(kind), f"{KINDS[kind]} layers") for kind in there))
    layers = inputs(*((KINDS[kind], cut.layers[kind].shared, "numbers of one, cut by tp") for kind in there))
    ends = held.shared - sum(stage.count(kind) * cut.layers[kind].shared for kind in there)
    yield Derivation(
        name=SHARED,
        meaning="numbers that a rank holds, those of routed experts aside",
        unit="parameters",
        value=float(held.shared),
        formula=" + ".join([*(f"n_{KINDS[kind]} * {KINDS[kind]}" for kind in there), "ends"]),
        inputs=(
            *counts,
            *layers,
            *inputs(("ends", ends, "embedding, final norm and output, where they are")),
        ),
        source="arXiv:1909.08053, section 3",
    )
    if experts:
        routed = [kind for kind in there if cut.layers[kind].experts]
        yield Derivation(
            name=EXPERTS,
            meaning="numbers of routed experts that a rank holds",
            unit="parameters",
            value=float(held.experts),
            formula=" + ".join(f"n_{KINDS[kind]} * {KINDS[kind]}" for kind in routed),
            inputs=inputs(
                *((f"n_{KINDS[kind]}", stage.count(kind), f"{KINDS[kind]} layers") for kind in routed),
                *(
                    (KINDS[kind], cut.layers[kind].experts, "numbers of one's experts, dealt over ep")
                    for kind in routed
                ),
            ),
            source="arXiv:2006.16668, section 3",
        )

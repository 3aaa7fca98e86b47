"""Derivations of a stage's bytes, term by term."""

from collections.abc import Iterator

from l3_modeltools.planning.cost.bytes.account import memory_of
from l3_modeltools.planning.cost.bytes.flight import in_flight
from l3_modeltools.planning.cost.bytes.parameters import stage_parameters
from l3_modeltools.planning.cost.bytes.place import stages_of
from l3_modeltools.planning.cost.bytes.states import sharing_of
from l3_modeltools.planning.cost.bytes.terms import StageMemory
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, Input

__all__ = ["explain_stage"]

MEANING = {
    "weights": ("weights that last from step to step", "arXiv:1910.02054, section 5"),
    "gradients": ("summed gradients", "arXiv:1910.02054, section 5"),
    "master_and_moments": (
        "AdamW's moments, and fp32 weights beside 16-bit ones",
        "arXiv:1910.02054, section 3",
    ),
    "activations": ("what forward passes keep for backward ones", "arXiv:2205.05198, section 4"),
    "logits": ("logits and what the loss makes of them", "arXiv:2205.05198, section 4.3"),
    "communication": ("buffers of exchanges under way", "frameworks/practices.py"),
    "workspace": ("what a layer's backward pass needs beyond that", "cost/bytes/account.py"),
    "fragmentation": ("lost between blocks of the allocator", "cost/bytes/allowances.py"),
    "context": ("the driver's own, and its libraries'", "cost/bytes/allowances.py"),
}
"""What each term is, and who says so."""


def explain_stage(setting: Setting, stage: int) -> Derivation:
    """Derive the bytes of a rank of a pipeline stage, counted from 0."""
    found = memory_of(setting).stages[stage]
    parts = tuple(_terms(setting, stage, found))
    return Derivation(
        name=f"stage_{stage}",
        meaning="a rank of it at the fullest moment of a step",
        unit="bytes",
        value=float(found.total),
        formula=" + ".join(part.name for part in parts),
        parts=parts,
    )


def _terms(setting: Setting, stage: int, found: StageMemory) -> Iterator[Derivation]:
    states = dict(_states(setting, stage, found))
    for name, value in found.named():
        meaning, source = MEANING[name]
        formula, inputs = states.get(name, ("bytes", (Input(symbol="bytes", value=value, meaning=meaning),)))
        yield Derivation(
            name=name,
            meaning=meaning,
            unit="bytes",
            value=float(value),
            formula=formula,
            inputs=inputs,
            source=source,
        )


def _states(
    setting: Setting, stage: int, found: StageMemory
) -> Iterator[tuple[str, tuple[str, tuple[Input, ...]]]]:
    """Formulas of what lasts, by parameters and their sharing, and of what is kept, by micro batches in flight."""
    held, sharing = stage_parameters(setting, stages_of(setting)[stage]), sharing_of(setting)
    zero = setting.strategy.zero_stage
    parameters = Input(
        symbol="parameters", value=held.total, meaning="numbers that a rank holds, uncut by dp"
    )
    for name, size, shared in (
        ("weights", found.weights, zero == 3),
        ("gradients", found.gradients, zero >= 2),
        ("master_and_moments", found.master_and_moments, zero >= 1),
    ):
        each = Input(symbol="each", value=size / held.total, meaning="bytes of each, its share among copies")
        copies = Input(symbol="copies", value=sharing.shared, meaning="ranks that hold the same")
        yield name, ("parameters * each", (parameters, each, *((copies,) if shared else ())))
    flying = sum(in_flight(setting)[stage])
    yield (
        "activations",
        (
            "flying * each",
            (
                Input(symbol="flying", value=flying, meaning="micro batches in flight, by virtual stage"),
                Input(
                    symbol="each", value=found.activations / flying, meaning="bytes kept of one, in the mean"
                ),
            ),
        ),
    )

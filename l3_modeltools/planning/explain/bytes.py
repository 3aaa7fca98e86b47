"""Derivations of a stage's bytes, term by term."""

from collections.abc import Iterator

from l3_modeltools.planning.cost.bytes.account import like_of, memory_of
from l3_modeltools.planning.cost.bytes.allowances import CONTEXT, GROUP, LOST
from l3_modeltools.planning.cost.bytes.flight import in_flight
from l3_modeltools.planning.cost.bytes.place import stages_of
from l3_modeltools.planning.cost.bytes.terms import StageMemory
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.activations import explain_activations
from l3_modeltools.planning.explain.derivation import Derivation, inputs
from l3_modeltools.planning.explain.passing import explain_communication, explain_workspace
from l3_modeltools.planning.explain.states import explain_states

__all__ = ["explain_stage"]


def explain_stage(setting: Setting, stage: int) -> Derivation:
    """Derive the bytes of a rank of a pipeline stage, counted from 0."""
    found = memory_of(setting).stages[stage]
    terms = {part.name: part for part in _terms(setting, stage, found)}
    parts = tuple(terms[name] for name, _ in found.named())
    return Derivation(
        name=f"stage_{stage}",
        meaning="a rank of it at the fullest moment of a step",
        unit="bytes",
        value=float(found.total),
        formula=" + ".join(part.name for part in parts),
        parts=parts,
    )


def _terms(setting: Setting, number: int, found: StageMemory) -> Iterator[Derivation]:
    stage = stages_of(setting)[number]
    like, flying = like_of(setting, stage), sum(in_flight(setting)[number])
    yield from explain_states(setting, stage, found)
    yield explain_activations(setting, number, found)
    yield _logits(setting, found)
    yield explain_communication(setting, stage, found, flying)
    yield explain_workspace(setting, stage, found, like)
    yield Derivation(
        name="fragmentation",
        meaning="lost between blocks of the allocator",
        unit="bytes",
        value=float(found.fragmentation),
        formula="allocated // lost",
        inputs=inputs(
            ("allocated", found.allocated, "all terms before"), ("lost", LOST, "one byte in so many is lost")
        ),
        source="reserved over allocated peaks of 15 runs on B200: planning/cost/bytes/allowances.py",
    )
    yield Derivation(
        name="context",
        meaning="the driver's own, and its libraries'",
        unit="bytes",
        value=float(found.context),
        formula="driver + each * groups",
        inputs=inputs(
            ("driver", CONTEXT, "a driver's context and kernels"),
            ("each", GROUP, "buffers of the collectives of a dimension of the parallelism"),
            ("groups", (found.context - CONTEXT) // GROUP, "dimensions that are cut"),
        ),
        source="an allowance: planning/cost/bytes/allowances.py",
    )


def _logits(setting: Setting, found: StageMemory) -> Derivation:
    """Numbers of a micro batch's logits on one rank, and the bytes of each and of what the loss makes of it."""
    parts = setting.vocabulary_parts
    numbers = setting.micro_tokens * setting.vocabulary // parts
    rows = (
        ("tokens", setting.micro_tokens, "of a micro batch on a rank"),
        ("vocabulary", setting.vocabulary, "rows of the output, padding included"),
        ("parts", parts, "tensor-parallel ranks that the output is cut over"),
        (
            "each",
            found.logits // numbers,
            "bytes of one and of the loss's copies of it; none but on the last stage",
        ),
    )
    return Derivation(
        name="logits",
        meaning="logits and what the loss makes of them",
        unit="bytes",
        value=float(found.logits),
        formula="tokens * vocabulary // parts * each",
        inputs=inputs(*rows),
        source="arXiv:2205.05198, section 4.3; copies as planning/cost/bytes/ends.py lists them",
    )

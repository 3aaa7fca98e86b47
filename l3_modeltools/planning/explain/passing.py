"""Derivations of what passes: buffers of exchanges under way, and what a layer's backward pass needs for itself."""

from l3_modeltools.planning.cost.bytes.account import Like
from l3_modeltools.planning.cost.bytes.layer import Layer, layers_of
from l3_modeltools.planning.cost.bytes.parameters import Parameters, cut_parameters, stage_parameters
from l3_modeltools.planning.cost.bytes.place import KINDS, Stage
from l3_modeltools.planning.cost.bytes.spare import spare_bytes
from l3_modeltools.planning.cost.bytes.states import gathered_bytes
from l3_modeltools.planning.cost.bytes.tensors import rank_of
from l3_modeltools.planning.cost.bytes.terms import StageMemory
from l3_modeltools.planning.cost.bytes.traffic import copy_traffic, passing_gradients, stage_traffic
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, inputs

__all__ = ["explain_communication", "explain_workspace"]


def explain_communication(setting: Setting, stage: Stage, found: StageMemory, flying: int) -> Derivation:
    """What is gathered of weights, what goes between stages, and what a trainer keeps of that for each micro batch."""
    parts = []
    if copy_traffic(setting, stage):
        parts.append(_gathered(setting, stage))
    between, each = stage_traffic(setting, stage)
    if between:
        parts.append(_between(setting, stage, between))
    terms, given = [part.name for part in parts], []
    if each:
        given.append(("flying", flying, "micro batches in flight, by virtual stage"))
        parts.append(_stream(setting))
        terms.append("flying * stream")
    return Derivation(
        name="communication",
        meaning="buffers of exchanges under way",
        unit="bytes",
        value=float(found.communication),
        formula=" + ".join(terms) or "0",
        inputs=inputs(*given),
        parts=tuple(parts),
        source="planning/cost/bytes/traffic.py, by trainer",
    )


def _gathered(setting: Setting, stage: Stage) -> Derivation:
    """ZeRO 3: the ends' weights, one layer's in use, one's that arrive, and room where they do."""
    cut = cut_parameters(setting)
    rows: list[tuple[str, float, str]] = [
        ("ends", rank_of(setting).product * cut.ends(stage), "bytes of the ends' weights"),
        (
            "layer",
            gathered_bytes(setting, Parameters(cut.largest(stage))),
            "bytes of the largest layer's, gathered",
        ),
    ]
    formula = "max(ends, layer)"
    if setting.strategy.degrees.pp == 1:
        formula += " + min(ends + 2 * layer, 2 * whole - max(ends, layer))"
        whole = gathered_bytes(setting, stage_parameters(setting, stage))
        rows.append(("whole", whole, "bytes of all, gathered"))
    return Derivation(
        name="weights_under_way",
        meaning="weights gathered, and the room where they arrive",
        unit="bytes",
        value=float(copy_traffic(setting, stage)),
        formula=formula,
        inputs=inputs(*rows),
        source="torch.distributed.fsdp.fully_shard; planning/cost/bytes/traffic.py",
    )


def _between(setting: Setting, stage: Stage, value: int) -> Derivation:
    """One that comes and one that goes, or room for all that come and the logits of all, by trainer."""
    rows: list[tuple[str, float, str]] = []
    parts: tuple[Derivation, ...] = ()
    if not setting.practice.kept.stage_buffers:
        formula, parts = "2 * stream", (_stream(setting),)
    else:
        terms = []
        rows.append(("m", setting.microbatches, "micro batches"))
        if coming := len(stage.chunks) - stage.last:
            rows.append(("coming", coming, "virtual stages that gradients come to"))
            terms.append("m * coming * stream")
            parts = (_stream(setting),)
        if stage.last:
            rank = rank_of(setting)
            logits = rank.tokens * setting.vocabulary // setting.vocabulary_parts * rank.product
            rows.append(
                ("logits_each", logits, "bytes of a micro batch's logits, kept until the step is over")
            )
            terms.append("(m - 1) * logits_each")
        formula = " + ".join(terms)
    return Derivation(
        name="between_stages",
        meaning="what comes from other stages and goes to them",
        unit="bytes",
        value=float(value),
        formula=formula,
        inputs=inputs(*rows),
        parts=parts,
        source="torch/distributed/pipelining/stage.py" if rows else "planning/cost/bytes/traffic.py",
    )


def _stream(setting: Setting) -> Derivation:
    rank = rank_of(setting)
    return Derivation(
        name="stream",
        meaning="a micro batch's activations between two layers, on a rank",
        unit="bytes",
        value=float(rank.slice * rank.architecture.hidden_size * rank.stream),
        formula="tokens * hidden * bytes",
        inputs=inputs(
            (
                "tokens",
                rank.slice,
                "of a micro batch on a rank, tp's share of them where it cuts the sequence",
            ),
            ("hidden", rank.architecture.hidden_size, "numbers of a token"),
            ("bytes", rank.stream, "of a number"),
        ),
    )


def explain_workspace(setting: Setting, stage: Stage, found: StageMemory, like: Like) -> Derivation:
    """Either in the widest layer's backward pass, or at the very end, when activations are gone."""
    spare = spare_bytes(setting, stage)
    return Derivation(
        name="workspace",
        meaning="what a layer's backward pass needs beyond that",
        unit="bytes",
        value=float(found.workspace),
        formula="max(max(0, widest - logits) + spare, ending - activations - logits)",
        inputs=inputs(
            ("spare", spare, "idle gradients of kernels that add to fp32 sums"),
            ("ending", like.ending, "gradients of the ends, being scattered when all activations are gone"),
            ("activations", found.activations, "given free by then"),
            ("logits", found.logits, "given free by then"),
        ),
        parts=(_widest(setting, stage),),
        source="planning/cost/bytes/account.py; arXiv:1604.06174",
    )


def _widest(setting: Setting, stage: Stage) -> Derivation:
    """The layer whose backward pass needs most: all its tensors, but for those that it kept."""
    layers = layers_of(rank_of(setting))
    there = [
        (layers[at], KINDS[at], _kept(layers[at], full, selective))
        for chunk in stage.chunks
        for at, (full, selective, plain) in enumerate(chunk.dealt())
        if full or selective or plain
    ]
    layer, kind, kept = max(there, key=lambda one: one[0].kept - one[2] + one[0].passing)
    gradients = passing_gradients(setting, stage)
    return Derivation(
        name="widest",
        meaning=f"what the backward pass of a {kind} layer, the widest, needs",
        unit="bytes",
        value=float(layer.kept - kept + layer.passing + gradients),
        formula="tensors - kept + passing + gradients",
        inputs=inputs(
            ("tensors", layer.kept, "bytes that it keeps where nothing is recomputed"),
            ("kept", kept, "bytes that it has kept, so that only the others are made again"),
            ("passing", layer.passing, "gradients on their way through it, beyond what they set free"),
            ("gradients", gradients, "its weights' gradients being scattered, with ZeRO 2 and 3"),
        ),
        source="planning/cost/bytes/layer.py; arXiv:1604.06174",
    )


def _kept(layer: Layer, full: int, selective: int) -> int:
    return layer.full if full else layer.selective if selective else layer.kept

"""Derivations of a layer's attention, of its passes over memory, and of what the host is late."""

from l3_modeltools.architectures import pieces
from l3_modeltools.planning.cost.bytes.place import Kind
from l3_modeltools.planning.cost.seconds.kernels import HALF_HEAD, HALF_LENGTH, RECOMPUTED
from l3_modeltools.planning.cost.seconds.layer import PERMUTED, LayerTime, products_of
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, inputs

__all__ = ["explain_attention", "explain_elementwise", "explain_idle"]

TOLD_FOR = 128
"""Size of a head that speeds of attention are measured with."""


def explain_attention(setting: Setting, rates: Rates, kind: Kind, label: str, layer: LayerTime) -> Derivation:
    """Fused attention by its FLOPs; that which is not fused by its two passes alone."""
    part, meaning = layer.attention, f"attention of a {kind} layer and a micro batch"
    if not setting.practice.flash_attention:
        return Derivation(
            name=label,
            meaning=meaning,
            unit="s",
            value=part.both,
            formula="forward + backward",
            inputs=inputs(
                (
                    "forward",
                    part.forward,
                    "two batched products over all of the scores, and passes over them",
                ),
                ("backward", part.backward, "four of them, and passes"),
            ),
            source="planning/cost/seconds/kernels.py, attention that writes its scores",
        )
    heads = setting.architecture.attention.num_attention_heads / setting.strategy.degrees.tp
    size, keys = sum(pieces.head_sizes(setting.architecture)) / 2, setting.sequence_length
    return Derivation(
        name=label,
        meaning=meaning,
        unit="s",
        value=part.both,
        formula="2 * tokens * keys * heads * size / (length_share * size_share) * (1 / forward + again / backward)",
        inputs=inputs(
            ("tokens", setting.micro_tokens, "of a micro batch on a rank"),
            ("keys", keys, "tokens that each may look at; causal: half of them"),
            ("heads", heads, "on a rank"),
            ("size", size, "numbers of a head, in the mean of queries and values"),
            ("forward", rates.attention_forward, "FLOP/s forward: the best measured, times attention_share"),
            ("backward", rates.attention_backward, "FLOP/s backward, likewise"),
            ("again", RECOMPUTED, "FLOPs backward over those forward"),
        ),
        parts=(_length_share(keys), _size_share(size)),
        source="arXiv:2205.14135, section 3; arXiv:2407.08608, figures 5 and 6",
    )


def _length_share(keys: float) -> Derivation:
    return Derivation(
        name="length_share",
        meaning="share of its speed that attention reaches over so many tokens",
        unit="",
        value=keys / (keys + HALF_LENGTH),
        formula="keys / (keys + half)",
        inputs=inputs(("keys", keys, "tokens"), ("half", HALF_LENGTH, "tokens at which half is lost")),
        source="arXiv:2407.08608, figures 5 and 6",
    )


def _size_share(size: float) -> Derivation:
    return Derivation(
        name="size_share",
        meaning="share of its speed that attention reaches with heads of this size",
        unit="",
        value=min(1.0, size / (size + HALF_HEAD) * (TOLD_FOR + HALF_HEAD) / TOLD_FOR),
        formula="min(1, size / (size + half) * (measured + half) / measured)",
        inputs=inputs(
            ("size", size, "numbers of a head"),
            ("half", HALF_HEAD, "size at which half is lost"),
            ("measured", TOLD_FOR, "size that speeds are told for"),
        ),
        source="arXiv:2407.08608, figures 5 and 6",
    )


def explain_elementwise(
    setting: Setting, rates: Rates, kind: Kind, label: str, layer: LayerTime
) -> Derivation:
    """Numbers that are read or written once, as 16-bit ones, both ways; casts to 8 bits besides."""
    architecture, degrees, figures = setting.architecture, setting.strategy.degrees, rates.calibration
    value, tokens, unfused = (
        layer.elementwise.both,
        setting.micro_tokens,
        not setting.practice.fused_elementwise,
    )
    stream = architecture.hidden_size / (degrees.tp if degrees.sequence_parallel else 1)
    heads = products_of(setting, kind)[1 if kind == "further" else 0].n
    rows = [
        ("tokens", tokens, "of a micro batch on a rank"),
        ("norms", figures.passes_forward, "calibration: passes_forward, over the stream"),
        ("stream", stream, "numbers of a token between the products"),
        ("inner", _inner(setting, kind), "numbers of a token that the feed-forward part reads and writes"),
        ("heads", heads, "numbers of a token that are rotated"),
        (
            "unfused",
            figures.unfused_passes if unfused else 1.0,
            "calibration: unfused_passes, where not fused",
        ),
        ("backward", figures.passes_backward, "calibration: passes_backward, over those forward"),
        ("memory", rates.memory, "bytes/s of the device's memory, times memory_share"),
    ]
    formula = "2 * tokens * (norms * stream + inner + heads) * unfused / memory * (1 + backward)"
    if setting.practice.compute == "fp8":
        moved = sum(one.many * one.m * (one.k + one.n) for one in products_of(setting, kind))
        rows.append(("cast", moved, "numbers that are scaled and cast to 8 bits, both ways"))
        formula += " + 2 * 2 * cast / memory"
    return Derivation(
        name=label,
        meaning=f"passes over memory of a {kind} layer and a micro batch",
        unit="s",
        value=value,
        formula=formula,
        inputs=inputs(*rows),
        source="bytes over memory bandwidth: planning/cost/seconds/layer.py",
    )


def _inner(setting: Setting, kind: Kind) -> float:
    """Widths that the activation function passes over, gate included; with experts tokens are dealt out and back."""
    architecture, tp = setting.architecture, setting.strategy.degrees.tp
    passes, experts = (3 if architecture.mlp.gated else 2), architecture.experts
    if kind == "dense" or experts is None:
        return architecture.mlp.intermediate_size / tp * passes
    width = (experts.num_experts_per_tok + experts.n_shared_experts) * experts.moe_intermediate_size
    return (width * passes + PERMUTED * experts.num_experts_per_tok * architecture.hidden_size) / tp


def explain_idle(setting: Setting, rates: Rates, kind: Kind, label: str, layer: LayerTime) -> Derivation:
    """What starting a layer's kernels takes longer than they run, forward and backward."""
    computed, figures = (layer.products, layer.attention, layer.elementwise), rates.calibration
    return Derivation(
        name=label,
        meaning=f"of a {kind} layer and a micro batch",
        unit="s",
        value=layer.idle.both,
        formula="max(0, kernels_forward * launch - forward) + max(0, kernels_backward * launch - backward)",
        inputs=inputs(
            ("kernels_forward", figures.kernels_forward, "calibration: kernels_forward"),
            ("kernels_backward", figures.kernels_backward, "calibration: kernels_backward"),
            ("launch", figures.launch_s, "calibration: launch_s, to start one"),
            ("forward", sum(part.forward for part in computed), "seconds that they run forward"),
            ("backward", sum(part.backward for part in computed), "seconds that they run backward"),
        ),
        source="calibration: launch_s",
    )

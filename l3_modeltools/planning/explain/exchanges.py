"""Derivations of what ranks exchange: streams within a layer, tokens of experts, keys, and hand-overs of stages."""

from l3_modeltools.architectures import pieces
from l3_modeltools.planning.cost.bytes.place import Kind
from l3_modeltools.planning.cost.seconds.layer import HALF, SHOWN_TP, LayerTime
from l3_modeltools.planning.cost.seconds.played import hand_over_of
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.explain.derivation import Derivation, inputs

__all__ = [
    "explain_context_exchange",
    "explain_expert_exchange",
    "explain_hand_over",
    "explain_tensor_exchange",
]


def _nothing(label: str, degree: str) -> Derivation:
    return Derivation(name=label, meaning=f"nothing: {degree}", unit="s", value=0.0, formula="0")


def explain_tensor_exchange(
    setting: Setting, rates: Rates, kind: Kind, label: str, layer: LayerTime
) -> Derivation:
    """Gathers and scatters of the stream, each a ring."""
    degrees, part = setting.strategy.degrees, layer.tensor_exchange
    if degrees.tp == 1:
        return _nothing(label, "tp is 1")
    bandwidth, latency = rates.ring(rates.group(degrees.tp, 1))
    stream = HALF * setting.micro_tokens * setting.architecture.hidden_size
    shown = SHOWN_TP if setting.practice.overlap_tp else 1.0
    one = stream * (degrees.tp - 1) / degrees.tp / bandwidth + latency
    return Derivation(
        name=label,
        meaning=f"of a {kind} layer and a micro batch",
        unit="s",
        value=part.both,
        formula="times * shown * (bytes * (tp - 1) / tp / bandwidth + latency)",
        inputs=inputs(
            (
                "times",
                round(part.both / (shown * one)),
                "gathers and scatters of a layer, forward and backward",
            ),
            ("shown", shown, "share that no product hides"),
            ("bytes", stream, "16-bit numbers of a micro batch's stream"),
            ("tp", degrees.tp, "tensor-parallel ranks"),
            ("bandwidth", bandwidth, "bytes/s of a ring among them"),
            ("latency", latency, "seconds beside the bytes"),
        ),
        source="arXiv:1909.08053, section 3; arXiv:1909.09756, section 2",
    )


def explain_expert_exchange(
    setting: Setting, rates: Rates, kind: Kind, label: str, layer: LayerTime
) -> Derivation:
    """Four exchanges of all with all: tokens to their experts and back, their gradients likewise."""
    degrees, experts, figures = setting.strategy.degrees, setting.architecture.experts, rates.calibration
    if experts is None or kind == "dense" or degrees.ep == 1:
        return _nothing(label, "no experts elsewhere")
    group = rates.group(degrees.ep, 1)
    tokens = setting.micro_tokens * experts.num_experts_per_tok / degrees.tp
    latency = figures.link_latency_s + (figures.network_latency_s if group.domains > 1 else 0.0)
    return Derivation(
        name=label,
        meaning=f"of a {kind} layer and a micro batch",
        unit="s",
        value=layer.expert_exchange.both,
        formula="4 * (max(sent * (near - 1) / ep / link, sent * (ep - near) / ep / network) + latency)",
        inputs=inputs(
            (
                "sent",
                HALF * tokens * setting.architecture.hidden_size,
                "bytes of a rank's tokens, once for each expert",
            ),
            ("near", group.local, "ranks in reach of the device's own links"),
            ("ep", degrees.ep, "expert-parallel ranks"),
            ("link", rates.link, "bytes/s of those links, times link_share"),
            ("network", rates.network, "bytes/s of an accelerator's port, times network_share"),
            ("latency", latency, "seconds beside the bytes"),
        ),
        source="arXiv:2006.16668, section 3.2",
    )


def explain_context_exchange(
    setting: Setting, rates: Rates, kind: Kind, label: str, layer: LayerTime
) -> Derivation:
    """A gather of keys and values forward, twice as much backward, as far as attention and a late host hide nothing."""
    degrees = setting.strategy.degrees
    if degrees.cp == 1:
        return _nothing(label, "cp is 1")
    width = pieces.key_value_width(setting.architecture) / degrees.tp
    bandwidth, latency = rates.ring(rates.group(degrees.cp, degrees.tp))
    whole = HALF * setting.strategy.micro_batch_size * setting.sequence_length * width
    return Derivation(
        name=label,
        meaning=f"of a {kind} layer and a micro batch",
        unit="s",
        value=layer.context_exchange.both,
        formula=(
            "max(0, key_gather - hidden * (forward + idle_forward))"
            " + max(0, 2 * key_gather - hidden * (backward + idle_backward))"
        ),
        inputs=inputs(
            ("hidden", rates.calibration.hidden_share, "calibration: hidden_share"),
            ("forward", layer.attention.forward, "seconds of attention forward"),
            ("backward", layer.attention.backward, "seconds of attention backward"),
            ("idle_forward", layer.idle.forward, "seconds that the host is late, forward"),
            ("idle_backward", layer.idle.backward, "seconds that it is late backward"),
        ),
        parts=(
            Derivation(
                name="key_gather",
                meaning="keys and values of the whole sequence to every rank",
                unit="s",
                value=whole * (degrees.cp - 1) / degrees.cp / bandwidth + latency,
                formula="bytes * (cp - 1) / cp / bandwidth + latency",
                inputs=inputs(
                    ("bytes", whole, "of all keys and values, as 16-bit numbers"),
                    ("cp", degrees.cp, "context-parallel ranks"),
                    ("bandwidth", bandwidth, "bytes/s of a ring among them"),
                    ("latency", latency, "seconds beside the bytes"),
                ),
                source="arXiv:1909.09756, section 2",
            ),
        ),
        source="arXiv:2310.01889",
    )


def explain_hand_over(setting: Setting, rates: Rates, value: float) -> Derivation:
    """Hand-overs that stages wait for, each there and back."""
    degrees, figures = setting.strategy.degrees, rates.calibration
    if degrees.pp == 1:
        return _nothing("hand_over", "pp is 1")
    hidden = degrees.vp > 1 and setting.practice.overlap_pp
    near = degrees.tp * degrees.cp * degrees.dp < rates.domain
    one = Derivation(
        name="hand_over_each",
        meaning="a micro batch's stream to the next stage, and its gradients back",
        unit="s",
        value=hand_over_of(setting, rates),
        formula="2 * (2 * tokens * hidden / tp / bandwidth + latency)",
        inputs=inputs(
            ("tokens", setting.micro_tokens, "of a micro batch on a rank"),
            ("hidden", setting.architecture.hidden_size, "numbers of a token"),
            ("tp", degrees.tp, "tensor-parallel ranks, each with its share"),
            ("bandwidth", rates.link if near else rates.network, "bytes/s between the two stages"),
            (
                "latency",
                figures.link_latency_s if near else figures.network_latency_s,
                "seconds beside the bytes",
            ),
        ),
        source="planning/cost/seconds/exchange.py",
    )
    rows = [("pp", degrees.pp, "pipeline stages"), ("vp", degrees.vp, "virtual stages of each")]
    if not hidden:
        rows.append(("m", setting.microbatches, "micro batches"))
    return Derivation(
        name="hand_over",
        meaning="activations to the next stage, and their gradients back",
        unit="s",
        value=value,
        formula="(pp * vp - 1) * hand_over_each" if hidden else "(pp - 1 + (m - 1) * vp) * hand_over_each",
        inputs=inputs(*rows),
        parts=(one,),
        source="arXiv:2104.04473, section 2.2; other work hides the rest of virtual stages'",
    )

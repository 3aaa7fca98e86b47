"""What a training keeps of the forward pass for the backward pass, tensor by tensor.

The account follows arXiv:2205.05198, section 4.1, for what the trainer runs: layers of `transformers`, fused attention
that never keeps the scores, and mixed precision by autocast or by FSDP.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from l3_modeltools.architectures import pieces
from l3_modeltools.schemas import Alibi, Architecture, GroupedAttention, LatentAttention, Recompute, Train

__all__ = ["Mixing", "activation_bytes", "mixing_of"]

Mixing = Literal["fp32", "autocast", "sharded"]
"""How precision is mixed: not at all; bf16 products between fp32 sums; bf16 throughout, as FSDP casts weights."""

FULL, HALF = 4, 2
"""Bytes of an fp32 and a bf16 number."""

ACTIVATION_TENSORS: Mapping[str, int] = {"relu": 1, "silu": 2, "gelu": 2, "gelu_new": 5}
"""Tensors of the inner width that an activation function keeps, its result included."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pass:
    """One forward pass: how precision is mixed, tokens of a sequence, whether a mask keeps documents apart."""

    mixing: Mixing
    sequence_length: int
    masked: bool

    @property
    def product(self) -> int:
        """Bytes of a number that comes out of a matrix product."""
        return FULL if self.mixing == "fp32" else HALF

    @property
    def stream(self) -> int:
        """Bytes of a number between layers."""
        return HALF if self.mixing == "sharded" else FULL


def mixing_of(train: Train, *, sharded: bool) -> Mixing:
    """How the trainer mixes precision."""
    if train.compute.precision == "fp32":
        return "fp32"
    return "sharded" if sharded else "autocast"


def activation_bytes(
    architecture: Architecture,
    *,
    tokens: int,
    mixing: Mixing,
    recompute: Recompute,
    sequence_length: int,
    masked: bool,
) -> int:
    """Bytes kept at the widest moment, for `tokens` in one micro batch; full recomputation keeps layers' inputs."""
    one = Pass(mixing=mixing, sequence_length=sequence_length, masked=masked)
    layers = architecture.num_hidden_layers
    dense, sparse = pieces.dense_layers(architecture), pieces.sparse_layers(architecture)
    whole = dense * _dense_layer(architecture, one) + sparse * _sparse_layer(architecture, one)
    ends = _norm(architecture, one, readers=1) + one.stream * architecture.hidden_size
    if recompute.mode == "full":
        again = min(recompute.layers[0][0], layers) if recompute.layers else layers
        widest = max(_dense_layer(architecture, one) * (dense > 0), _sparse_layer(architecture, one))
        kept = again * one.stream * architecture.hidden_size + (widest if again else 0)
        whole = whole * (layers - again) // layers + kept
    return tokens * (whole + ends)


def _dense_layer(architecture: Architecture, one: Pass) -> int:
    inner = _mlp(architecture, one, architecture.mlp.intermediate_size)
    return (
        _attention(architecture, one) + _norm(architecture, one, readers=1 + architecture.mlp.gated) + inner
    )


def _sparse_layer(architecture: Architecture, one: Pass) -> int:
    """Like a dense layer, each token going through its chosen experts, for which it is copied and added up.

    Autocast does not reach the routed experts' products.
    """
    experts = architecture.experts
    if experts is None:
        return 0
    chosen, shared = experts.num_experts_per_tok, experts.n_shared_experts
    expert = _mlp(architecture, one, experts.moe_intermediate_size)
    routed = chosen * (expert * one.stream // one.product + 2 * architecture.hidden_size * one.stream)
    norm = _norm(architecture, one, readers=3)
    return _attention(architecture, one) + norm + shared * expert + routed


def _attention(architecture: Architecture, one: Pass) -> int:
    """Norm, queries, keys, values and result of one layer, for one token."""
    attention, (query, value) = architecture.attention, pieces.head_sizes(architecture)
    heads = attention.num_attention_heads
    if not isinstance(attention, GroupedAttention):
        ranks = attention.kv_lora_rank + (attention.q_lora_rank or 0)
        kept = 2 * ranks + heads * (2 * query + 2 * value)
        return _norm(architecture, one, readers=2) + one.product * kept + _scores(architecture, one)
    groups = heads if one.masked else attention.key_value_heads
    kept = one.product * 2 * query * (heads + groups)
    if attention.qk_norm:
        kept += (FULL + one.product) * query * (heads + attention.key_value_heads)
    return _norm(architecture, one, readers=_readers(architecture)) + kept + _scores(architecture, one)


def _scores(architecture: Architecture, one: Pass) -> int:
    """What the unfused attention of ALiBi and, on a CPU, of latent attention keeps; else a mask to be added."""
    scores = architecture.attention.num_attention_heads * one.sequence_length
    if isinstance(architecture.positions, Alibi):
        return scores * (FULL if one.mixing == "fp32" else FULL + HALF)
    if isinstance(architecture.attention, LatentAttention):
        return scores * FULL
    return one.sequence_length * one.product * one.masked


def _readers(architecture: Architecture) -> int:
    """Products that read what the attention's norm gives; autocast makes a copy for each."""
    return 1 if architecture.model_type in ("gpt2", "bloom") else 3


def _norm(architecture: Architecture, one: Pass, *, readers: int) -> int:
    """A normalisation's input, its normalised value, and its result as products read it."""
    hidden = architecture.hidden_size
    inner = FULL if architecture.norm == "layer_norm" and one.mixing != "sharded" else 0
    if architecture.norm == "layer_norm" and one.mixing == "sharded":
        inner = HALF
    if architecture.norm == "rms_norm":
        inner = FULL + (HALF if one.mixing == "sharded" else FULL)
    result = {"fp32": FULL, "sharded": HALF, "autocast": HALF * readers}[one.mixing]
    return hidden * (inner + result)


def _mlp(architecture: Architecture, one: Pass, width: int) -> int:
    mlp = architecture.mlp
    function = "gelu" if architecture.model_type == "bloom" else mlp.hidden_act  # whose backward is its own
    tensors = ACTIVATION_TENSORS[function] + (2 if mlp.gated else 0)
    return one.product * tensors * width

"""Llama and its kin in config.json: llama, mistral, mixtral, qwen2, qwen3, qwen3_moe."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from l3_modeltools.architectures.hugging_face.activations import ACTIVATIONS
from l3_modeltools.architectures.hugging_face.mixture import (
    read_mixtral,
    read_qwen3_moe,
    write_mixtral,
    write_qwen3_moe,
)
from l3_modeltools.architectures.hugging_face.reader import HfConfig
from l3_modeltools.architectures.hugging_face.rotations import read_rope, write_rope
from l3_modeltools.architectures.pieces import head_sizes
from l3_modeltools.schemas import Architecture, Experts, GroupedAttention, Mlp, Rope

__all__ = ["ROTARY", "read_rotary", "write_rotary"]


@dataclass(frozen=True, slots=True)
class Mixture:
    """Experts in config.json, both ways."""

    read: Callable[[HfConfig], Experts]
    write: Callable[[Experts], dict[str, object]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rotary:
    """What tells a family from Llama: its defaults where config.json is silent, and what it can say."""

    intermediate_size: int
    hidden_size: int = 4096
    num_hidden_layers: int = 32
    max_position_embeddings: int
    key_value_heads: int | None = None
    head_dim: int | None = None
    has_head_dim: bool = True
    says_attention_bias: bool = True
    says_mlp_bias: bool = False
    query_bias: bool = False
    qk_norm: bool = False
    mixture: Mixture | None = None
    norm_eps: float = 1e-6
    rope_theta: float = 10_000.0


ROTARY: Mapping[str, Rotary] = {
    "llama": Rotary(intermediate_size=11008, max_position_embeddings=2048, says_mlp_bias=True),
    "mistral": Rotary(
        intermediate_size=14336,
        max_position_embeddings=131072,
        key_value_heads=8,
        says_attention_bias=False,
    ),
    "mixtral": Rotary(
        intermediate_size=14336,
        max_position_embeddings=131072,
        key_value_heads=8,
        says_attention_bias=False,
        mixture=Mixture(read_mixtral, write_mixtral),
        norm_eps=1e-5,
        rope_theta=1e6,
    ),
    "qwen2": Rotary(
        intermediate_size=22016,
        max_position_embeddings=32768,
        key_value_heads=32,
        has_head_dim=False,
        says_attention_bias=False,
        query_bias=True,
    ),
    "qwen3": Rotary(
        intermediate_size=22016,
        max_position_embeddings=32768,
        key_value_heads=32,
        head_dim=128,
        qk_norm=True,
    ),
    "qwen3_moe": Rotary(
        intermediate_size=6144,
        hidden_size=2048,
        num_hidden_layers=24,
        max_position_embeddings=32768,
        key_value_heads=4,
        qk_norm=True,
        mixture=Mixture(read_qwen3_moe, write_qwen3_moe),
    ),
}
"""The families by `model_type`."""


def read_rotary(config: HfConfig, model_type: str) -> Architecture:
    """Read a model of Llama's kind."""
    family = ROTARY[model_type]
    _refuse_windows(config, model_type)
    return Architecture(
        name=model_type,
        model_type=model_type,
        hidden_size=config.integer("hidden_size", family.hidden_size),
        num_hidden_layers=config.integer("num_hidden_layers", family.num_hidden_layers),
        vocab_size=config.integer("vocab_size", 151936 if model_type.startswith("qwen") else 32000),
        max_position_embeddings=config.integer("max_position_embeddings", family.max_position_embeddings),
        tie_word_embeddings=config.flag("tie_word_embeddings", False),
        attention=_read_attention(config, family),
        mlp=Mlp(
            intermediate_size=config.integer("intermediate_size", family.intermediate_size),
            hidden_act=config.choice("hidden_act", "silu", ACTIVATIONS),
            mlp_bias=family.says_mlp_bias and config.flag("mlp_bias", False),
        ),
        experts=family.mixture.read(config) if family.mixture else None,
        positions=read_rope(config, family.rope_theta),
        norm_eps=config.number("rms_norm_eps", family.norm_eps),
    )


def write_rotary(architecture: Architecture) -> dict[str, object]:
    """Write a model of Llama's kind, as far as config.json can say it."""
    attention, family = architecture.attention, ROTARY[architecture.model_type]
    config: dict[str, object] = {
        "hidden_size": architecture.hidden_size,
        "intermediate_size": architecture.mlp.intermediate_size,
        "num_hidden_layers": architecture.num_hidden_layers,
        "num_attention_heads": attention.num_attention_heads,
        "hidden_act": architecture.mlp.hidden_act,
        "max_position_embeddings": architecture.max_position_embeddings,
        "rms_norm_eps": architecture.norm_eps,
        "attention_dropout": 0.0,
    }
    if isinstance(attention, GroupedAttention):
        config["num_key_value_heads"] = attention.key_value_heads
        config |= {"attention_bias": attention.attention_bias} if family.says_attention_bias else {}
    if architecture.experts and family.mixture:
        config |= family.mixture.write(architecture.experts)
    if family.has_head_dim:
        config["head_dim"] = head_sizes(architecture)[0]
    if family.says_mlp_bias:
        config["mlp_bias"] = architecture.mlp.mlp_bias
    config |= {"sliding_window": None} if architecture.model_type != "llama" else {}
    return config | (write_rope(architecture.positions) if isinstance(architecture.positions, Rope) else {})


def _read_attention(config: HfConfig, family: Rotary) -> GroupedAttention:
    heads = config.integer("num_attention_heads", 32)
    said = family.says_attention_bias and config.flag("attention_bias", False)
    head = config.optional("head_dim", family.head_dim) if family.has_head_dim else None
    implied = head is not None and head * heads == config.integer("hidden_size", family.hidden_size)
    return GroupedAttention(
        num_attention_heads=heads,
        num_key_value_heads=config.optional("num_key_value_heads", family.key_value_heads) or heads,
        head_dim=None if implied else head,
        attention_bias=family.query_bias or said,
        output_bias=said,
        qk_norm=family.qk_norm,
    )


def _refuse_windows(config: HfConfig, model_type: str) -> None:
    """Refuse attention that sees a window only; Mistral has one unless it says none."""
    if model_type == "mistral":
        window = config.fields.get("sliding_window", 4096)
        if window is not None:
            config.unsupported("sliding_window", window, "null: every token sees all before it")
    elif model_type == "mixtral":
        config.expect("sliding_window", None)
    elif model_type != "llama":
        config.expect("use_sliding_window", False)

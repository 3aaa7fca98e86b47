"""BLOOM in config.json: ALiBi, a normalised embedding, feed-forward parts four times as wide."""

from l3_modeltools.architectures.hugging_face.reader import HfConfig
from l3_modeltools.schemas import Alibi, Architecture, GroupedAttention, Mlp

__all__ = ["read_bloom", "write_bloom"]

DEFAULT_LENGTH = 2048
"""Sequence length where config.json, which needs none for ALiBi, leaves `seq_length` out."""


def read_bloom(config: HfConfig) -> Architecture:
    """Read a BLOOM."""
    config.expect("apply_residual_connection_post_layernorm", False)
    width = config.integer("n_embed" if "n_embed" in config.fields else "hidden_size", 64)
    return Architecture(
        name="bloom",
        model_type="bloom",
        hidden_size=width,
        num_hidden_layers=_either(config, "n_layer", "num_hidden_layers", 2),
        vocab_size=config.integer("vocab_size", 250880),
        max_position_embeddings=config.integer("seq_length", DEFAULT_LENGTH),
        tie_word_embeddings=config.flag("tie_word_embeddings", True),
        attention=GroupedAttention(
            num_attention_heads=_either(config, "n_head", "num_attention_heads", 8), attention_bias=True
        ),
        mlp=Mlp(intermediate_size=4 * width, hidden_act="gelu_new", gated=False, mlp_bias=True),
        positions=Alibi(),
        embedding_norm=True,
        norm="layer_norm",
        norm_eps=config.number("layer_norm_epsilon", 1e-5),
    )


def write_bloom(architecture: Architecture) -> dict[str, object]:
    """Write a BLOOM without dropout, as far as config.json can say it."""
    return {
        "hidden_size": architecture.hidden_size,
        "n_layer": architecture.num_hidden_layers,
        "n_head": architecture.attention.num_attention_heads,
        "seq_length": architecture.max_position_embeddings,
        "layer_norm_epsilon": architecture.norm_eps,
        "hidden_dropout": 0.0,
        "attention_dropout": 0.0,
    }


def _either(config: HfConfig, name: str, other: str, default: int) -> int:
    """Read a field under the one of its two names that is there."""
    return config.integer(other if name not in config.fields and other in config.fields else name, default)

"""GPT-2 and OPT in config.json: learned positions, biases everywhere, LayerNorm before each part."""

from l3_modeltools.architectures.hugging_face.activations import ACTIVATIONS
from l3_modeltools.architectures.hugging_face.reader import HfConfig
from l3_modeltools.schemas import Architecture, GroupedAttention, LearnedPositions, Mlp

__all__ = ["read_gpt2", "read_opt", "write_gpt2", "write_opt"]

OPT_OFFSET = 2
"""Rows before the first position in OPT's table."""

OPT_EPS = 1e-5
"""OPT's LayerNorm takes PyTorch's default; its config.json cannot say another."""


def read_gpt2(config: HfConfig) -> Architecture:
    """Read a GPT-2."""
    config.expect("scale_attn_weights", True)
    config.expect("scale_attn_by_inverse_layer_idx", False)
    config.expect("add_cross_attention", False)
    hidden = config.integer("n_embd", 768)
    return Architecture(
        name="gpt2",
        model_type="gpt2",
        hidden_size=hidden,
        num_hidden_layers=config.integer("n_layer", 12),
        vocab_size=config.integer("vocab_size", 50257),
        max_position_embeddings=config.integer("n_positions", 1024),
        tie_word_embeddings=config.flag("tie_word_embeddings", True),
        attention=GroupedAttention(num_attention_heads=config.integer("n_head", 12), attention_bias=True),
        mlp=_mlp(config, config.optional("n_inner") or 4 * hidden, "gelu_new"),
        positions=LearnedPositions(),
        norm="layer_norm",
        norm_eps=config.number("layer_norm_epsilon", 1e-5),
    )


def write_gpt2(architecture: Architecture) -> dict[str, object]:
    """Write a GPT-2 without dropout, as far as config.json can say it."""
    return {
        "n_embd": architecture.hidden_size,
        "n_layer": architecture.num_hidden_layers,
        "n_head": architecture.attention.num_attention_heads,
        "n_inner": architecture.mlp.intermediate_size,
        "n_positions": architecture.max_position_embeddings,
        "activation_function": architecture.mlp.hidden_act,
        "layer_norm_epsilon": architecture.norm_eps,
        "resid_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
    }


def read_opt(config: HfConfig) -> Architecture:
    """Read an OPT; the 350M one, which normalises after each part, is refused."""
    hidden = config.integer("hidden_size", 768)
    config.expect("do_layer_norm_before", True)
    config.expect("_remove_final_layer_norm", False)
    config.expect("layer_norm_elementwise_affine", True)
    config.expect("word_embed_proj_dim", hidden, None)
    bias = config.flag("enable_bias", True)
    return Architecture(
        name="opt",
        model_type="opt",
        hidden_size=hidden,
        num_hidden_layers=config.integer("num_hidden_layers", 12),
        vocab_size=config.integer("vocab_size", 50272),
        max_position_embeddings=config.integer("max_position_embeddings", 2048),
        tie_word_embeddings=config.flag("tie_word_embeddings", True),
        attention=GroupedAttention(
            num_attention_heads=config.integer("num_attention_heads", 12), attention_bias=bias
        ),
        mlp=_mlp(config, config.integer("ffn_dim", 3072), "relu", bias),
        positions=LearnedPositions(offset=OPT_OFFSET),
        norm="layer_norm",
        norm_eps=OPT_EPS,
    )


def write_opt(architecture: Architecture) -> dict[str, object]:
    """Write an OPT without dropout, as far as config.json can say it."""
    return {
        "hidden_size": architecture.hidden_size,
        "word_embed_proj_dim": architecture.hidden_size,
        "num_hidden_layers": architecture.num_hidden_layers,
        "num_attention_heads": architecture.attention.num_attention_heads,
        "ffn_dim": architecture.mlp.intermediate_size,
        "max_position_embeddings": architecture.max_position_embeddings,
        "activation_function": architecture.mlp.hidden_act,
        "enable_bias": architecture.mlp.mlp_bias,
        "do_layer_norm_before": True,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "layerdrop": 0.0,
    }


def _mlp(config: HfConfig, width: int, activation: str, bias: bool = True) -> Mlp:
    act = config.choice("activation_function", activation, ACTIVATIONS)
    return Mlp(intermediate_size=width, hidden_act=act, gated=False, mlp_bias=bias)

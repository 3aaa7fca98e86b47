"""Which model a configuration is for, where it tells the sizes of a dense one, or has a config.json in it."""

import json
from collections.abc import Callable, Mapping

from l0_infra.core.errors import DocumentError, UnsatisfiableError
from l3_modeltools.architectures import parse_hf_config
from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.schemas import Architecture, GroupedAttention, LearnedPositions, Mlp, Rope

__all__ = ["architecture_in"]

NAME = "imported"
GRAPH = "model.model_config."
NOT_DENSE = (
    "--num-experts",
    "--multi-latent-attention",
    "--mtp-num-layers",
    "moe_config.expert_num",
    f"{GRAPH}kv_lora_rank",
    f"{GRAPH}mtp_depth",
)
"""With one of these the sizes are more than is read here."""


def architecture_in(framework: str, config: Config) -> Architecture | None:
    """The model whose sizes the configuration tells; None where it does not, or where it is no plain dense one."""
    read = READERS.get(framework)
    if read is None or any(config.has(name) for name in NOT_DENSE):
        return None
    found = read(config)
    return None if found is None or any(found.faults()) or any(found.attention.faults()) else found


def _megatron(config: Config) -> Architecture | None:
    """Source: NVIDIA/Megatron-LM@d98e8a6 megatron/training/arguments.py, core/transformer/transformer_config.py."""
    told = ("--hidden-size", "--ffn-hidden-size", "--num-attention-heads", "--vocab-size", "--num-layers")
    if not all(config.has(name) for name in told):
        return None
    rotated, gated = config.value("--position-embedding-type") == "rope", config.flag("--swiglu")
    bias, heads = not config.flag("--disable-bias-linear"), config.count("--num-attention-heads", 1)
    return Architecture(
        name=NAME,
        model_type="llama" if rotated else "gpt2",
        hidden_size=config.count("--hidden-size", 1),
        num_hidden_layers=config.count("--num-layers", 1),
        vocab_size=config.count("--vocab-size", 1),
        max_position_embeddings=config.count("--max-position-embeddings", config.count("--seq-length", 1)),
        tie_word_embeddings=not config.flag("--untie-embeddings-and-output-weights"),
        attention=GroupedAttention(
            num_attention_heads=heads,
            num_key_value_heads=config.count("--num-query-groups", heads),
            attention_bias=bias,
        ),
        mlp=Mlp(
            intermediate_size=config.count("--ffn-hidden-size", 1),
            hidden_act="silu" if gated else "gelu",
            gated=gated,
            mlp_bias=bias,
        ),
        positions=Rope() if rotated else LearnedPositions(),
        norm="rms_norm" if config.value("--normalization") == "RMSNorm" else "layer_norm",
    )


def _graph(config: Config) -> Architecture | None:
    """Source: mindspore-lab/mindformers@fd4deeb mindformers/models/llama/llama_config.py: of the Llama family."""
    told = ("hidden_size", "intermediate_size", "num_heads", "vocab_size", "num_layers", "seq_length")
    if not all(config.has(GRAPH + name) for name in told):
        return None
    hidden, inside, heads, vocabulary, layers, length = (config.count(GRAPH + name, 1) for name in told)
    return Architecture(
        name=NAME,
        model_type="llama",
        hidden_size=hidden,
        num_hidden_layers=layers,
        vocab_size=vocabulary,
        max_position_embeddings=length,
        attention=GroupedAttention(
            num_attention_heads=heads,
            num_key_value_heads=config.count(f"{GRAPH}n_kv_heads", heads),
            attention_bias=config.flag(f"{GRAPH}qkv_has_bias"),
            output_bias=False,
        ),
        mlp=Mlp(intermediate_size=inside),
    )


def _hugging_face(config: Config) -> Architecture | None:
    """The section `model` of the dynamic graph has the words of a config.json."""
    sizes = {
        name.removeprefix("model."): found.value
        for name, found in config.values.items()
        if name.startswith("model.")
    }
    if str(sizes.get("model_type")).startswith("deepseek"):
        sizes.setdefault("num_nextn_predict_layers", 0)  # what the dynamic graph takes, and config.json not
    try:
        return parse_hf_config(json.dumps(sizes), where=config.source)
    except (DocumentError, UnsatisfiableError):
        return None


READERS: Mapping[str, Callable[[Config], Architecture | None]] = {
    "megatron": _megatron,
    "mindformers": _graph,
    "mindformers-2": _hugging_face,
}

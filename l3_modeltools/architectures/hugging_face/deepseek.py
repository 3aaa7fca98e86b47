"""DeepSeek-V3 in config.json: latent attention, and a mixture of experts chosen by groups."""

from l3_modeltools.architectures.hugging_face.activations import ACTIVATIONS
from l3_modeltools.architectures.hugging_face.reader import HfConfig
from l3_modeltools.architectures.hugging_face.rotations import read_rope, write_rope
from l3_modeltools.schemas import Architecture, Experts, LatentAttention, Mlp, Rope

__all__ = ["read_deepseek", "write_deepseek"]

EXPERT_FIELDS = (
    "n_routed_experts",
    "num_experts_per_tok",
    "moe_intermediate_size",
    "n_shared_experts",
    "first_k_dense_replace",
    "n_group",
    "topk_group",
    "norm_topk_prob",
    "routed_scaling_factor",
)
ATTENTION_FIELDS = (
    "num_attention_heads",
    "q_lora_rank",
    "kv_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "v_head_dim",
)
"""Fields that have the same name on both sides."""


def read_deepseek(config: HfConfig) -> Architecture:
    """Read a DeepSeek-V3."""
    for name, allowed in (("scoring_func", "sigmoid"), ("topk_method", "noaux_tc"), ("moe_layer_freq", 1)):
        config.expect(name, allowed)
    config.expect("attention_bias", False)
    config.expect("rope_interleave", True)
    config.expect("num_key_value_heads", None, config.integer("num_attention_heads", 128))
    return Architecture(
        name="deepseek_v3",
        model_type="deepseek_v3",
        hidden_size=config.integer("hidden_size", 7168),
        num_hidden_layers=config.integer("num_hidden_layers", 61),
        num_nextn_predict_layers=config.count("num_nextn_predict_layers", 1),
        vocab_size=config.integer("vocab_size", 129280),
        max_position_embeddings=config.integer("max_position_embeddings", 4096),
        tie_word_embeddings=config.flag("tie_word_embeddings", False),
        attention=_read_attention(config),
        mlp=Mlp(
            intermediate_size=config.integer("intermediate_size", 18432),
            hidden_act=config.choice("hidden_act", "silu", ACTIVATIONS),
        ),
        experts=_read_experts(config),
        positions=read_rope(config),
        norm_eps=config.number("rms_norm_eps", 1e-6),
    )


def write_deepseek(architecture: Architecture) -> dict[str, object]:
    """Write a DeepSeek-V3, as far as config.json can say it."""
    config: dict[str, object] = {
        "hidden_size": architecture.hidden_size,
        "intermediate_size": architecture.mlp.intermediate_size,
        "num_hidden_layers": architecture.num_hidden_layers,
        "num_nextn_predict_layers": architecture.num_nextn_predict_layers,
        "num_key_value_heads": architecture.attention.num_attention_heads,
        "hidden_act": architecture.mlp.hidden_act,
        "max_position_embeddings": architecture.max_position_embeddings,
        "rms_norm_eps": architecture.norm_eps,
        "scoring_func": "sigmoid",
        "topk_method": "noaux_tc",
        "attention_dropout": 0.0,
    }
    if isinstance(architecture.attention, LatentAttention):
        config |= {name: getattr(architecture.attention, name) for name in ATTENTION_FIELDS}
    if architecture.experts:
        config |= {name: getattr(architecture.experts, name) for name in EXPERT_FIELDS}
    return config | (write_rope(architecture.positions) if isinstance(architecture.positions, Rope) else {})


def _read_attention(config: HfConfig) -> LatentAttention:
    return LatentAttention(
        num_attention_heads=config.integer("num_attention_heads", 128),
        q_lora_rank=config.optional("q_lora_rank", 1536),
        kv_lora_rank=config.integer("kv_lora_rank", 512),
        qk_nope_head_dim=config.integer("qk_nope_head_dim", 128),
        qk_rope_head_dim=config.integer("qk_rope_head_dim", 64),
        v_head_dim=config.integer("v_head_dim", 128),
    )


def _read_experts(config: HfConfig) -> Experts:
    return Experts(
        n_routed_experts=config.integer("n_routed_experts", 256),
        num_experts_per_tok=config.integer("num_experts_per_tok", 8),
        moe_intermediate_size=config.integer("moe_intermediate_size", 2048),
        n_shared_experts=config.integer("n_shared_experts", 1),
        first_k_dense_replace=config.count("first_k_dense_replace", 3),
        n_group=config.integer("n_group", 8),
        topk_group=config.integer("topk_group", 4),
        norm_topk_prob=config.flag("norm_topk_prob", True),
        routed_scaling_factor=config.number("routed_scaling_factor", 2.5),
    )

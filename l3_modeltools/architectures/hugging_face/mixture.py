"""Experts in the config.json of models of Llama's kind: Mixtral's in every layer, those of Qwen3 after dense ones."""

from l3_modeltools.architectures.hugging_face.reader import HfConfig
from l3_modeltools.schemas import Experts

__all__ = ["read_mixtral", "read_qwen3_moe", "write_mixtral", "write_qwen3_moe"]

COUNTS = ("num_experts", "num_local_experts")
"""What the published files call the number of experts, and what transformers calls it from 5.0 on."""


def read_mixtral(config: HfConfig) -> Experts:
    """Each expert is as wide as a dense part would be."""
    return Experts(
        n_routed_experts=config.integer("num_local_experts", 8),
        num_experts_per_tok=config.integer("num_experts_per_tok", 2),
        moe_intermediate_size=config.integer("intermediate_size", 14336),
    )


def write_mixtral(experts: Experts) -> dict[str, object]:
    """The width is that of the dense part."""
    return {
        "num_local_experts": experts.n_routed_experts,
        "num_experts_per_tok": experts.num_experts_per_tok,
    }


def read_qwen3_moe(config: HfConfig) -> Experts:
    """Layers without experts have to be the first ones."""
    config.expect("decoder_sparse_step", 1)
    dense = config.fields.get("mlp_only_layers") or []
    if not isinstance(dense, list) or sorted(dense) != list(range(len(dense))):
        config.unsupported("mlp_only_layers", dense, "the first layers, if any: [0, 1]")
    count = next((name for name in COUNTS if name in config.fields), COUNTS[0])
    return Experts(
        n_routed_experts=config.integer(count, 128),
        num_experts_per_tok=config.integer("num_experts_per_tok", 8),
        moe_intermediate_size=config.integer("moe_intermediate_size", 768),
        first_k_dense_replace=len(dense),
        norm_topk_prob=config.flag("norm_topk_prob", False),
    )


def write_qwen3_moe(experts: Experts) -> dict[str, object]:
    """Every other layer has experts."""
    return {
        "num_experts": experts.n_routed_experts,
        "num_experts_per_tok": experts.num_experts_per_tok,
        "moe_intermediate_size": experts.moe_intermediate_size,
        "norm_topk_prob": experts.norm_topk_prob,
        "decoder_sparse_step": 1,
        "mlp_only_layers": list(range(experts.first_k_dense_replace)),
    }

"""A stand-in for `architectures.render_hf_config` until that is merged."""

from l3_modeltools.schemas import Architecture, GroupedAttention, Rope

__all__ = ["render_hf_config"]


def render_hf_config(architecture: Architecture) -> dict[str, object]:
    """Write what config.json holds for llama, qwen2, gpt2 and opt."""
    a = architecture
    assert isinstance(a.attention, GroupedAttention)
    common: dict[str, object] = {
        "model_type": a.model_type,
        "vocab_size": a.vocab_size,
        "tie_word_embeddings": a.tie_word_embeddings,
        "bos_token_id": None,
        "eos_token_id": None,
        "pad_token_id": None,
    }
    if a.model_type == "gpt2":
        return common | {
            "n_embd": a.hidden_size,
            "n_layer": a.num_hidden_layers,
            "n_head": a.attention.num_attention_heads,
            "n_positions": a.max_position_embeddings,
            "n_inner": a.mlp.intermediate_size,
            "activation_function": a.mlp.hidden_act,
            "layer_norm_epsilon": a.norm_eps,
            "attn_pdrop": 0.0,
            "embd_pdrop": 0.0,
            "resid_pdrop": 0.0,
        }
    common |= {
        "hidden_size": a.hidden_size,
        "num_hidden_layers": a.num_hidden_layers,
        "num_attention_heads": a.attention.num_attention_heads,
        "max_position_embeddings": a.max_position_embeddings,
    }
    if a.model_type == "opt":
        return common | {
            "ffn_dim": a.mlp.intermediate_size,
            "activation_function": a.mlp.hidden_act,
            "word_embed_proj_dim": a.hidden_size,
            "dropout": 0.0,
        }
    theta = a.positions.rope_theta if isinstance(a.positions, Rope) else 10_000.0
    return common | {
        "intermediate_size": a.mlp.intermediate_size,
        "num_key_value_heads": a.attention.key_value_heads,
        "hidden_act": a.mlp.hidden_act,
        "rms_norm_eps": a.norm_eps,
        "rope_parameters": {"rope_type": "default", "rope_theta": theta},
    }

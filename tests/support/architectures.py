"""Small models of every family that config.json and `architecture` both can say, for laws over sizes."""

from hypothesis import strategies as st

from l3_modeltools.schemas import (
    Alibi,
    Architecture,
    Experts,
    GroupedAttention,
    LatentAttention,
    LearnedPositions,
    Llama3Scaling,
    Mlp,
    Rope,
    YarnScaling,
)

SIZES = st.integers(1, 5)
SCALINGS = st.sampled_from(
    [
        None,
        Llama3Scaling(
            factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64
        ),
        YarnScaling(factor=4.0, original_max_position_embeddings=64),
    ]
)


@st.composite
def rotary(draw: st.DrawFn, model_type: str) -> Architecture:
    """A model of Llama's kind."""
    groups, per_group, half = draw(SIZES), draw(SIZES), draw(SIZES)
    heads = groups * per_group
    width, routed = draw(st.integers(1, 40)), draw(SIZES)
    own_head = model_type != "qwen2" and draw(st.booleans())
    layers, qwen3 = draw(SIZES), model_type.startswith("qwen3")
    said = (model_type == "llama" or qwen3) and draw(st.booleans())
    chosen = draw(st.integers(1, routed))
    experts = {
        "mixtral": Experts(n_routed_experts=routed, num_experts_per_tok=chosen, moe_intermediate_size=width),
        "qwen3_moe": Experts(
            n_routed_experts=routed,
            num_experts_per_tok=chosen,
            moe_intermediate_size=draw(st.integers(1, 20)),
            first_k_dense_replace=draw(st.integers(0, layers)),
            norm_topk_prob=draw(st.booleans()),
        ),
    }
    return Architecture(
        name="small",
        model_type=model_type,
        hidden_size=heads * 2 * half,
        num_hidden_layers=layers,
        vocab_size=draw(st.integers(1, 99)),
        max_position_embeddings=256,
        tie_word_embeddings=draw(st.booleans()),
        attention=GroupedAttention(
            num_attention_heads=heads,
            num_key_value_heads=groups,
            head_dim=2 * draw(SIZES) if own_head or qwen3 else None,
            attention_bias=model_type == "qwen2" or said,
            output_bias=said,
            qk_norm=qwen3,
        ),
        mlp=Mlp(intermediate_size=width, mlp_bias=model_type == "llama" and draw(st.booleans())),
        experts=experts.get(model_type),
        positions=Rope(rope_theta=draw(st.sampled_from([1e4, 5e5])), rope_scaling=draw(SCALINGS)),
        norm_eps=1e-6,
    )


@st.composite
def with_layer_norm(draw: st.DrawFn, model_type: str) -> Architecture:
    """A GPT-2, an OPT or a BLOOM."""
    heads, bloom = draw(SIZES), model_type == "bloom"
    hidden, bias = heads * draw(SIZES), model_type != "opt" or draw(st.booleans())
    return Architecture(
        name="small",
        model_type=model_type,
        hidden_size=hidden,
        num_hidden_layers=draw(SIZES),
        vocab_size=draw(st.integers(1, 99)),
        max_position_embeddings=draw(st.integers(1, 99)),
        tie_word_embeddings=draw(st.booleans()),
        attention=GroupedAttention(num_attention_heads=heads, attention_bias=bias),
        mlp=Mlp(
            intermediate_size=4 * hidden if bloom else draw(st.integers(1, 40)),
            hidden_act="gelu_new" if bloom else draw(st.sampled_from(["gelu_new", "relu"])),
            gated=False,
            mlp_bias=bias,
        ),
        positions=Alibi() if bloom else LearnedPositions(offset=2 if model_type == "opt" else 0),
        embedding_norm=bloom,
        norm="layer_norm",
    )


@st.composite
def latent(draw: st.DrawFn) -> Architecture:
    """A DeepSeek-V3."""
    groups, layers = draw(SIZES), draw(SIZES)
    routed = groups * draw(st.integers(2, 4))
    return Architecture(
        name="small",
        model_type="deepseek_v3",
        hidden_size=draw(st.integers(1, 40)),
        num_hidden_layers=layers,
        vocab_size=draw(st.integers(1, 99)),
        max_position_embeddings=256,
        attention=LatentAttention(
            num_attention_heads=draw(SIZES),
            q_lora_rank=draw(st.none() | SIZES),
            kv_lora_rank=draw(SIZES),
            qk_nope_head_dim=draw(SIZES),
            qk_rope_head_dim=2 * draw(SIZES),
            v_head_dim=draw(SIZES),
        ),
        mlp=Mlp(intermediate_size=draw(st.integers(1, 40))),
        experts=Experts(
            n_routed_experts=routed,
            num_experts_per_tok=draw(st.integers(1, routed)),
            moe_intermediate_size=draw(st.integers(1, 20)),
            n_shared_experts=draw(st.integers(1, 3)),
            first_k_dense_replace=draw(st.integers(0, layers)),
            n_group=groups,
            topk_group=draw(st.integers(1, groups)),
            routed_scaling_factor=2.5,
        ),
        positions=Rope(rope_scaling=draw(SCALINGS)),
        norm_eps=1e-6,
    )


FAMILIES = {
    **{name: rotary(name) for name in ("llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe")},
    **{name: with_layer_norm(name) for name in ("gpt2", "opt", "bloom")},
    "deepseek_v3": latent(),
}
"""By model_type."""

"""The sizes of a layer's pieces, from which parameters, arithmetic and memory are all counted."""

from l3_modeltools.schemas import Architecture, Experts, LatentAttention

__all__ = [
    "attention_biases",
    "attention_matrices",
    "dense_layers",
    "expert_matrices",
    "head_sizes",
    "key_value_width",
    "latent_down_matrices",
    "layer_norms",
    "mlp_biases",
    "mlp_matrices",
    "norm_size",
    "router_matrix",
    "sparse_layers",
]


def head_sizes(architecture: Architecture) -> tuple[int, int]:
    """Sizes of a query (or key) head and of a value head."""
    attention = architecture.attention
    if isinstance(attention, LatentAttention):
        return attention.qk_nope_head_dim + attention.qk_rope_head_dim, attention.v_head_dim
    size = attention.head_dim or architecture.hidden_size // attention.num_attention_heads
    return size, size


def key_value_width(architecture: Architecture) -> int:
    """Numbers of all keys and values of one token; latent attention has made them from its latents by then."""
    attention = architecture.attention
    if isinstance(attention, LatentAttention):
        return attention.num_attention_heads * sum(head_sizes(architecture))
    return attention.key_value_heads * sum(head_sizes(architecture))


def attention_matrices(architecture: Architecture) -> int:
    """Weights of one layer's attention, without biases."""
    hidden, attention = architecture.hidden_size, architecture.attention
    if isinstance(attention, LatentAttention):
        return _latent_matrices(hidden, attention)
    head, _ = head_sizes(architecture)
    return 2 * hidden * head * (attention.num_attention_heads + attention.key_value_heads)


def latent_down_matrices(architecture: Architecture) -> int:
    """Weights of one layer's attention that compress, which tensor parallelism does not cut; 0 without any."""
    attention = architecture.attention
    if not isinstance(attention, LatentAttention):
        return 0
    ranks = attention.kv_lora_rank + attention.qk_rope_head_dim + (attention.q_lora_rank or 0)
    return architecture.hidden_size * ranks


def attention_biases(architecture: Architecture) -> int:
    """Biases of one layer's attention."""
    attention = architecture.attention
    if isinstance(attention, LatentAttention):
        return 0
    head, _ = head_sizes(architecture)
    inner = head * (attention.num_attention_heads + 2 * attention.key_value_heads)
    outer = attention.attention_bias if attention.output_bias is None else attention.output_bias
    return inner * attention.attention_bias + architecture.hidden_size * outer


def mlp_matrices(architecture: Architecture, width: int) -> int:
    """Weights of a feed-forward part of `width`, without biases."""
    return (3 if architecture.mlp.gated else 2) * architecture.hidden_size * width


def mlp_biases(architecture: Architecture) -> int:
    """Biases of one dense layer's feed-forward part."""
    mlp = architecture.mlp
    inner = mlp.intermediate_size * (2 if mlp.gated else 1)
    return (inner + architecture.hidden_size) * mlp.mlp_bias


def expert_matrices(architecture: Architecture, experts: Experts) -> int:
    """Weights of one expert."""
    return mlp_matrices(architecture, experts.moe_intermediate_size)


def router_matrix(architecture: Architecture) -> int:
    """Weights that choose the experts of one layer; 0 for a model without experts."""
    return architecture.hidden_size * (architecture.experts.n_routed_experts if architecture.experts else 0)


def norm_size(architecture: Architecture, width: int) -> int:
    """Parameters of one normalisation of `width`."""
    return width * (2 if architecture.norm == "layer_norm" else 1)


def layer_norms(architecture: Architecture) -> int:
    """Parameters of one layer's normalisations, those within attention included."""
    attention, size = architecture.attention, 2 * norm_size(architecture, architecture.hidden_size)
    if isinstance(attention, LatentAttention):
        return size + norm_size(architecture, attention.kv_lora_rank + (attention.q_lora_rank or 0))
    return size + 2 * norm_size(architecture, head_sizes(architecture)[0]) * attention.qk_norm


def sparse_layers(architecture: Architecture) -> int:
    """Layers with a mixture of experts."""
    return architecture.num_hidden_layers - dense_layers(architecture)


def dense_layers(architecture: Architecture) -> int:
    """Layers with a dense feed-forward part."""
    experts = architecture.experts
    return experts.first_k_dense_replace if experts else architecture.num_hidden_layers


def _latent_matrices(hidden: int, attention: LatentAttention) -> int:
    heads, rank = attention.num_attention_heads, attention.q_lora_rank
    head = attention.qk_nope_head_dim + attention.qk_rope_head_dim
    queries = hidden * rank + rank * heads * head if rank else hidden * heads * head
    down = hidden * (attention.kv_lora_rank + attention.qk_rope_head_dim)
    up = attention.kv_lora_rank * heads * (attention.qk_nope_head_dim + attention.v_head_dim)
    return queries + down + up + heads * attention.v_head_dim * hidden

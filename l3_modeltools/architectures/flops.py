"""How much arithmetic a token costs in training, by a formula that says what it counts."""

from l3_modeltools.architectures import pieces
from l3_modeltools.schemas import Architecture

__all__ = ["flops_per_token", "matmul_parameters"]


def matmul_parameters(architecture: Architecture) -> int:
    """Weights that one token is multiplied by: matrices of the layers, chosen experts, router, and the output.

    Looking up the embedding multiplies nothing, so a tied one counts once, as the output.
    """
    layers, hidden = architecture.num_hidden_layers, architecture.hidden_size
    dense = pieces.dense_layers(architecture)
    mlp = dense * pieces.mlp_matrices(architecture, architecture.mlp.intermediate_size)
    attention = layers * pieces.attention_matrices(architecture)
    return attention + mlp + _sparse(architecture) + architecture.vocab_size * hidden


def flops_per_token(architecture: Architecture, sequence_length: int) -> float:
    """Model FLOPs of one trained token: forward and backward, nothing computed twice, norms and softmax left out.

    6 · matmul_parameters + 3 · L · s · H · (d_qk + d_v), which is 6N + 6 · L · H · d · s for heads of one size d
    (arXiv:2204.02311, appendix B, with its 12 halved: of the s² scores a causal mask leaves half, and
    only those are counted). MFU is tokens per second times this, over the peak of the devices.
    """
    heads, (query, value) = architecture.attention.num_attention_heads, pieces.head_sizes(architecture)
    scores = 3 * architecture.num_hidden_layers * sequence_length * heads * (query + value)
    return float(6 * matmul_parameters(architecture) + scores)


def _sparse(architecture: Architecture) -> int:
    experts = architecture.experts
    if experts is None:
        return 0
    chosen = experts.num_experts_per_tok + experts.n_shared_experts
    each = chosen * pieces.expert_matrices(architecture, experts) + pieces.router_matrix(architecture)
    return pieces.sparse_layers(architecture) * each

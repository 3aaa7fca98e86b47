"""How many parameters a model has, part by part."""

from dataclasses import dataclass

from l3_modeltools.architectures import pieces
from l3_modeltools.schemas import Architecture, LearnedPositions

__all__ = ["Parameters", "count_parameters"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameters:
    """Parameters by part; a tied output is counted once, with the embedding.

    `experts` are all of them, `chosen_experts` those that one token goes through (shared ones included).
    `further` are the layers for multi-token prediction, which published totals leave out; so does `total`.
    """

    embedding: int
    positions: int
    attention: int
    mlp: int
    norms: int
    router: int
    experts: int
    chosen_experts: int
    output: int
    further: int

    @property
    def total(self) -> int:
        """All parameters of the model that predicts the next token."""
        parts = (self.embedding, self.positions, self.attention, self.mlp, self.norms)
        return sum(parts) + self.router + self.experts + self.output

    @property
    def activated(self) -> int:
        """Parameters that one token goes through; embedding and output count whole."""
        return self.total - self.experts + self.chosen_experts


def count_parameters(architecture: Architecture) -> Parameters:
    """Count every weight, bias and normalisation of a model, before any padding of the vocabulary."""
    layers, hidden = architecture.num_hidden_layers, architecture.hidden_size
    dense, sparse = pieces.dense_layers(architecture), pieces.sparse_layers(architecture)
    table = architecture.vocab_size * hidden
    all_experts, chosen = _experts(architecture)
    around = pieces.norm_size(architecture, hidden) * (2 if architecture.embedding_norm else 1)
    return Parameters(
        embedding=table,
        positions=_positions(architecture),
        attention=layers * _attention(architecture),
        mlp=dense * _mlp(architecture),
        norms=layers * pieces.layer_norms(architecture) + around,
        router=sparse * pieces.router_matrix(architecture),
        experts=sparse * all_experts,
        chosen_experts=sparse * chosen,
        output=0 if architecture.tie_word_embeddings else table,
        further=architecture.num_nextn_predict_layers * _further_layer(architecture),
    )


def _positions(architecture: Architecture) -> int:
    positions = architecture.positions
    if not isinstance(positions, LearnedPositions):
        return 0
    return (architecture.max_position_embeddings + positions.offset) * architecture.hidden_size


def _attention(architecture: Architecture) -> int:
    return pieces.attention_matrices(architecture) + pieces.attention_biases(architecture)


def _mlp(architecture: Architecture) -> int:
    width = architecture.mlp.intermediate_size
    return pieces.mlp_matrices(architecture, width) + pieces.mlp_biases(architecture)


def _experts(architecture: Architecture) -> tuple[int, int]:
    """All experts of one layer, and those that one token goes through."""
    experts = architecture.experts
    if experts is None:
        return 0, 0
    each, shared = pieces.expert_matrices(architecture, experts), experts.n_shared_experts
    return each * (experts.n_routed_experts + shared), each * (experts.num_experts_per_tok + shared)


def _further_layer(architecture: Architecture) -> int:
    """A whole layer, the matrix that joins state and embedding, three norms (arXiv:2412.19437, section 2.2)."""
    hidden = architecture.hidden_size
    inner = _experts(architecture)[0] + pieces.router_matrix(architecture) or _mlp(architecture)
    layer = _attention(architecture) + inner + pieces.layer_norms(architecture)
    return layer + 2 * hidden * hidden + 3 * pieces.norm_size(architecture, hidden)

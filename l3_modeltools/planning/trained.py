"""Which parameters a training changes: all of them, or those of an adapter beside them."""

from collections.abc import Mapping

from l3_modeltools.architectures import count_parameters, pieces
from l3_modeltools.schemas import Architecture, GroupedAttention, Lora, Train

__all__ = ["adapter_parameters", "target_names", "trained_parameters"]

EMBEDDINGS = ("embed_positions", "embed_tokens", "lm_head", "word_embeddings", "wpe", "wte")
"""What peft takes too, beside the matrices of the layers."""

Shape = tuple[int, int]


def trained_parameters(train: Train, architecture: Architecture) -> int:
    """Parameters that have a gradient and optimizer state."""
    lora = train.model.lora if train.model else None
    return adapter_parameters(lora, architecture) if lora else count_parameters(architecture).total


def target_names(architecture: Architecture) -> frozenset[str]:
    """Last names of the modules an adapter can stand beside; none where they are not known here."""
    known = frozenset(_matrices(architecture))
    return known | frozenset(EMBEDDINGS) if known else known


def adapter_parameters(lora: Lora, architecture: Architecture) -> int:
    """Parameters of an adapter of rank r: r · (in + out) for each matrix it stands beside (arXiv:2106.09685).

    Names that a family does not have count nothing; those of experts are left out, as peft leaves them.
    """
    shapes = _matrices(architecture)
    names = lora.target_modules or _usual(architecture)
    layers = architecture.num_hidden_layers
    return sum(layers * lora.r * sum(shapes[name]) for name in set(names) if name in shapes)


def _usual(architecture: Architecture) -> tuple[str, ...]:
    """What peft takes when no modules are named: queries and values, or the matrix that holds them all."""
    usual = {"gpt2": ("c_attn",), "bloom": ("query_key_value",)}
    return usual.get(architecture.model_type, ("q_proj", "v_proj"))


def _matrices(architecture: Architecture) -> Mapping[str, Shape]:
    """The matrices of a layer by the names that `transformers` gives them, as (in, out)."""
    hidden, width, attention = (
        architecture.hidden_size,
        architecture.mlp.intermediate_size,
        architecture.attention,
    )
    if not isinstance(attention, GroupedAttention):
        return {}
    head, _ = pieces.head_sizes(architecture)
    queries, keys = head * attention.num_attention_heads, head * attention.key_value_heads
    if architecture.model_type == "gpt2":
        return {
            "c_attn": (hidden, 3 * hidden),
            "c_fc": (hidden, width),
            "c_proj": (hidden + width, 2 * hidden),
        }
    if architecture.model_type == "bloom":
        whole = {"query_key_value": (hidden, 3 * hidden), "dense": (hidden, hidden)}
        return whole | {"dense_h_to_4h": (hidden, width), "dense_4h_to_h": (width, hidden)}
    projections = {"q_proj": (hidden, queries), "k_proj": (hidden, keys), "v_proj": (hidden, keys)}
    if architecture.model_type == "opt":
        return projections | {"out_proj": (queries, hidden), "fc1": (hidden, width), "fc2": (width, hidden)}
    projections |= {"o_proj": (queries, hidden)}
    if architecture.experts:
        return projections
    return projections | {
        "gate_proj": (hidden, width),
        "up_proj": (hidden, width),
        "down_proj": (width, hidden),
    }

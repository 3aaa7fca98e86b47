"""What a model is made of: the sizes that its parameters, memory and arithmetic follow from.

Fields that Hugging Face's `config.json` has bear its names.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Count, Document, Name, Part, Positive, Text
from l0_infra.core.errors import Fault
from l3_modeltools.schemas.divisors import division, near_divisors, near_multiples

__all__ = [
    "Alibi",
    "Architecture",
    "Experts",
    "GroupedAttention",
    "LatentAttention",
    "LearnedPositions",
    "Llama3Scaling",
    "Mlp",
    "Rope",
    "YarnScaling",
]

Layers = Annotated[int, Meta(ge=1, le=10_000)]
FurtherLayers = Annotated[int, Meta(ge=0, le=10_000)]
Many = Annotated[int, Meta(ge=1, le=100_000)]
Factor = Annotated[float, Meta(gt=0)]


class GroupedAttention(
    Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="grouped"
):
    """Attention in which groups of query heads share a key and value head; as many of both is the classic."""

    num_attention_heads: Annotated[Many, Meta(description="Query heads.", examples=[32])]
    num_key_value_heads: Annotated[
        Many | None, Meta(description="Key and value heads; null: as many as query heads.")
    ] = None
    head_dim: Annotated[
        Positive | None, Meta(description="Size of a head; null: hidden_size / num_attention_heads.")
    ] = None
    attention_bias: Annotated[bool, Meta(description="Whether the projections have a bias.")] = False
    output_bias: Annotated[
        bool | None,
        Meta(description="Whether the projection behind the heads has a bias; null: as attention_bias."),
    ] = None
    qk_norm: Annotated[bool, Meta(description="Whether each query and key head is normalised.")] = False

    @property
    def key_value_heads(self) -> int:
        """The number of key and value heads, also where the document leaves it out."""
        return self.num_key_value_heads or self.num_attention_heads

    def faults(self) -> Iterator[Fault]:
        """Yield key and value heads that do not divide the query heads."""
        heads, shared = self.num_attention_heads, self.key_value_heads
        if heads % shared:
            yield Fault(
                path=("num_key_value_heads",),
                found=division("num_attention_heads", heads, shared),
                expected="a number that divides num_attention_heads",
                hint=f"nearest: {near_divisors(heads, shared)}",
            )


class LatentAttention(
    Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="latent"
):
    """Multi-head latent attention: keys and values are stored compressed (arXiv:2405.04434, section 2.1)."""

    num_attention_heads: Annotated[Many, Meta(description="Heads.")]
    q_lora_rank: Annotated[
        Positive | None, Meta(description="Rank of the queries' compression; null: they are not compressed.")
    ] = None
    kv_lora_rank: Annotated[Positive, Meta(description="Rank of the compression of keys and values.")]
    qk_nope_head_dim: Annotated[Positive, Meta(description="Part of a query or key without positions.")]
    qk_rope_head_dim: Annotated[Positive, Meta(description="Part of a query or key that is rotated.")]
    v_head_dim: Annotated[Positive, Meta(description="Size of a value head.")]


class Mlp(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The dense feed-forward part of a layer."""

    intermediate_size: Annotated[Positive, Meta(description="Width inside.", examples=[14336])]
    hidden_act: Annotated[
        Literal["silu", "gelu", "gelu_new", "relu"], Meta(description="Activation function.")
    ] = "silu"
    gated: Annotated[bool, Meta(description="Whether a third matrix gates the activation (SwiGLU).")] = True
    mlp_bias: Annotated[bool, Meta(description="Whether the matrices have a bias.")] = False


class Experts(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mixture of experts in place of the dense feed-forward part."""

    n_routed_experts: Annotated[Many, Meta(description="Experts that a router chooses from.")]
    num_experts_per_tok: Annotated[Positive, Meta(description="Experts chosen for each token.")]
    moe_intermediate_size: Annotated[Positive, Meta(description="Width inside one expert.")]
    n_shared_experts: Annotated[Count, Meta(description="Experts that every token goes through.")] = 0
    first_k_dense_replace: Annotated[Count, Meta(description="First layers that stay dense.")] = 0
    n_group: Annotated[Positive, Meta(description="Groups the routed experts are dealt to.")] = 1
    topk_group: Annotated[Positive, Meta(description="Groups chosen first for each token.")] = 1
    norm_topk_prob: Annotated[bool, Meta(description="Whether the chosen experts' weights sum to 1.")] = True
    routed_scaling_factor: Annotated[Factor, Meta(description="Scale of what the chosen give.")] = 1.0

    def faults(self) -> Iterator[Fault]:
        """Yield a choice of more experts than there are."""
        if self.num_experts_per_tok > self.n_routed_experts:
            found = f"{self.num_experts_per_tok} of {self.n_routed_experts} experts"
            yield Fault(path=("num_experts_per_tok",), found=found, expected="at most n_routed_experts")
        if self.n_routed_experts % self.n_group:
            yield Fault(
                path=("n_group",),
                found=division("n_routed_experts", self.n_routed_experts, self.n_group),
                expected="a number that divides n_routed_experts",
                hint=f"nearest: {near_divisors(self.n_routed_experts, self.n_group)}",
            )
        if self.topk_group > self.n_group:
            found = f"{self.topk_group} of {self.n_group} groups"
            yield Fault(path=("topk_group",), found=found, expected="at most n_group")


class Llama3Scaling(
    Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="rope_type", tag="llama3"
):
    """How Llama 3.1 stretches its rotations over a longer context."""

    factor: Annotated[Factor, Meta(description="How much the slow rotations are slowed.")]
    low_freq_factor: Annotated[Factor, Meta(description="Where slowing begins to fade.")]
    high_freq_factor: Annotated[Factor, Meta(description="Where slowing has ended.")]
    original_max_position_embeddings: Annotated[Positive, Meta(description="Context before stretching.")]


class YarnScaling(
    Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="rope_type", tag="yarn"
):
    """How YaRN stretches rotations over a longer context (arXiv:2309.00071)."""

    factor: Annotated[Factor, Meta(description="How much the context grows.")]
    original_max_position_embeddings: Annotated[Positive, Meta(description="Context before stretching.")]
    beta_fast: Annotated[Factor, Meta(description="Turns from which a rotation is left as it is.")] = 32.0
    beta_slow: Annotated[Factor, Meta(description="Turns up to which one is stretched in full.")] = 1.0
    mscale: Annotated[Factor | None, Meta(description="Scale of the scores' temperature; null: 1.")] = None
    mscale_all_dim: Annotated[
        Factor | None, Meta(description="The same, for all dimensions; null: none.")
    ] = None


class Rope(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="rope"):
    """Positions as rotations of queries and keys."""

    rope_theta: Annotated[Factor, Meta(description="Base of the wavelengths.")] = 10_000.0
    rope_scaling: Annotated[
        Llama3Scaling | YarnScaling | None, Meta(description="How it is stretched; null: it is not.")
    ] = None


class LearnedPositions(
    Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="learned"
):
    """Positions as a learned table of `max_position_embeddings` rows."""

    offset: Annotated[Count, Meta(description="Further rows before the first position; OPT has 2.")] = 0


class Alibi(Part, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="alibi"):
    """Positions as a slope added to the scores (arXiv:2108.12409)."""


Attention = GroupedAttention | LatentAttention
Positions = Rope | LearnedPositions | Alibi


class Architecture(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="architecture"):
    """The sizes of a decoder-only language model, in the words of Hugging Face's config.json."""

    name: Annotated[Name, Meta(description="Name.", examples=["llama-3.1-8b"])]
    model_type: Annotated[Text, Meta(description="The family, as config.json has it.", examples=["llama"])]
    hidden_size: Annotated[Positive, Meta(description="Width of the residual stream.", examples=[4096])]
    num_hidden_layers: Annotated[
        Layers, Meta(description="Layers, without those that predict further.", examples=[32])
    ]
    num_nextn_predict_layers: Annotated[
        FurtherLayers, Meta(description="Multi-token-prediction layers after the last one.")
    ] = 0
    vocab_size: Annotated[
        Positive, Meta(description="Tokens of the vocabulary, before any padding.", examples=[128256])
    ]
    max_position_embeddings: Annotated[
        Positive, Meta(description="Longest context, in tokens.", examples=[131072])
    ]
    tie_word_embeddings: Annotated[
        bool, Meta(description="Whether input and output share one embedding.")
    ] = False
    attention: Annotated[Attention, Meta(description="How tokens see each other.")]
    mlp: Annotated[Mlp, Meta(description="Feed-forward part of the dense layers.")]
    experts: Annotated[Experts | None, Meta(description="Mixture of experts; null: all layers dense.")] = None
    positions: Annotated[Positions, Meta(description="How a token's position enters.")] = Rope()
    embedding_norm: Annotated[bool, Meta(description="Whether the embedding is normalised, as BLOOM's.")] = (
        False
    )
    norm: Annotated[
        Literal["rms_norm", "layer_norm"], Meta(description="Normalisation; `layer_norm` has a bias too.")
    ] = "rms_norm"
    norm_eps: Annotated[Factor, Meta(description="Added to the variance: rms_norm_eps, layer_norm_eps.")] = (
        1e-5
    )
    sources: Annotated[tuple[Text, ...], Meta(description="Where the sizes are published.")] = ()

    @property
    def layers(self) -> int:
        """All layers a pipeline holds, those for multi-token prediction included."""
        return self.num_hidden_layers + self.num_nextn_predict_layers

    def faults(self) -> Iterator[Fault]:
        """Yield heads that do not divide the width, and more dense layers than there are."""
        attention = self.attention
        if isinstance(attention, GroupedAttention) and attention.head_dim is None:
            yield from self._head_faults(attention.num_attention_heads)
        if self.experts and self.experts.first_k_dense_replace > self.num_hidden_layers:
            yield Fault(
                path=("experts", "first_k_dense_replace"),
                found=f"{self.experts.first_k_dense_replace} of {self.num_hidden_layers} layers",
                expected="at most num_hidden_layers",
            )

    def _head_faults(self, heads: int) -> Iterator[Fault]:
        if self.hidden_size % heads:
            yield Fault(
                path=("hidden_size",),
                found=division("hidden_size", self.hidden_size, heads),
                expected=f"a multiple of num_attention_heads {heads}, or a head_dim",
                hint=f"nearest: {near_multiples(heads, self.hidden_size)}",
            )
        elif isinstance(self.positions, Rope) and self.hidden_size // heads % 2:
            found = f"heads of {self.hidden_size} / {heads} = {self.hidden_size // heads}"
            yield Fault(path=("hidden_size",), found=found, expected="heads of an even size, to be rotated")

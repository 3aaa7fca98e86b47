"""Models by a few sizes, and settings, for tests of what a step costs."""

from dataclasses import dataclass

from msgspec.structs import replace

from l3_modeltools.planning.cost import Setting
from l3_modeltools.schemas import (
    Architecture,
    Experts,
    GroupedAttention,
    LatentAttention,
    LearnedPositions,
    Mlp,
    Practice,
    Strategy,
)

PLAIN = Practice()


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """A model; with experts it is one of DeepSeek's. Not `gated`: one of GPT's, norms and biases as there."""

    hidden: int
    inner: int
    layers: int
    heads: int
    vocabulary: int
    groups: int | None = None
    gated: bool = True
    experts: Experts | None = None

    def architecture(self) -> Architecture:
        grouped = GroupedAttention(
            num_attention_heads=self.heads, num_key_value_heads=self.groups, attention_bias=not self.gated
        )
        model = Architecture(
            name="sizes",
            model_type="llama",
            hidden_size=self.hidden,
            num_hidden_layers=self.layers,
            vocab_size=self.vocabulary,
            max_position_embeddings=8192,
            attention=grouped,
            mlp=Mlp(intermediate_size=self.inner),
        )
        if self.experts:
            return replace(
                model, model_type="deepseek_v3", attention=latent(self.heads), experts=self.experts
            )
        if self.gated:
            return model
        return replace(
            model,
            model_type="gpt2",
            mlp=Mlp(intermediate_size=self.inner, hidden_act="gelu", gated=False, mlp_bias=True),
            norm="layer_norm",
            positions=LearnedPositions(),
            tie_word_embeddings=True,
            max_position_embeddings=2048,
        )


def latent(heads: int) -> LatentAttention:
    """The latent attention of DeepSeek-V2 and V3."""
    return LatentAttention(
        num_attention_heads=heads,
        q_lora_rank=1536,
        kv_lora_rank=512,
        qk_nope_head_dim=128,
        qk_rope_head_dim=64,
        v_head_dim=128,
    )


def setting(
    architecture: Architecture,
    strategy: Strategy | None = None,
    *,
    sequence_length: int = 4096,
    batches: int = 8,
    practice: Practice = PLAIN,
) -> Setting:
    """A setting in which each copy takes so many micro batches."""
    cut = strategy or Strategy()
    return Setting(
        architecture=architecture,
        strategy=cut,
        sequence_length=sequence_length,
        global_batch_size=cut.micro_batch_size * cut.degrees.dp * batches,
        practice=practice,
    )

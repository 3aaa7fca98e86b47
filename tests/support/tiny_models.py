"""Architectures small enough for a test, one of each family, and trainings of them."""

from collections.abc import Mapping

from l3_modeltools.schemas import (
    Alibi,
    Architecture,
    Dpo,
    GroupedAttention,
    LearnedPositions,
    Lora,
    MixturePart,
    Mlp,
    Pretrain,
    Sft,
    Train,
    TrainedModel,
    TrainingData,
)

__all__ = ["BLOOM", "FAMILIES", "LLAMA", "training"]

VOCABULARY = 97

LLAMA = Architecture(
    name="small-llama",
    model_type="llama",
    hidden_size=32,
    num_hidden_layers=2,
    vocab_size=VOCABULARY,
    max_position_embeddings=64,
    attention=GroupedAttention(num_attention_heads=4, num_key_value_heads=2),
    mlp=Mlp(intermediate_size=48),
)
QWEN2 = Architecture(
    name="small-qwen2",
    model_type="qwen2",
    hidden_size=32,
    num_hidden_layers=2,
    vocab_size=VOCABULARY,
    max_position_embeddings=64,
    tie_word_embeddings=True,
    attention=GroupedAttention(
        num_attention_heads=4, num_key_value_heads=2, attention_bias=True, output_bias=False
    ),
    mlp=Mlp(intermediate_size=48),
    norm_eps=1e-6,
)
GPT2 = Architecture(
    name="small-gpt2",
    model_type="gpt2",
    hidden_size=32,
    num_hidden_layers=2,
    vocab_size=VOCABULARY,
    max_position_embeddings=64,
    tie_word_embeddings=True,
    attention=GroupedAttention(num_attention_heads=4, attention_bias=True),
    mlp=Mlp(intermediate_size=128, hidden_act="gelu_new", gated=False, mlp_bias=True),
    positions=LearnedPositions(),
    norm="layer_norm",
)
OPT = Architecture(
    name="small-opt",
    model_type="opt",
    hidden_size=32,
    num_hidden_layers=2,
    vocab_size=VOCABULARY,
    max_position_embeddings=64,
    tie_word_embeddings=True,
    attention=GroupedAttention(num_attention_heads=4, attention_bias=True),
    mlp=Mlp(intermediate_size=128, hidden_act="relu", gated=False, mlp_bias=True),
    positions=LearnedPositions(offset=2),
    norm="layer_norm",
)
BLOOM = Architecture(
    name="small-bloom",
    model_type="bloom",
    hidden_size=32,
    num_hidden_layers=2,
    vocab_size=VOCABULARY,
    max_position_embeddings=64,
    tie_word_embeddings=True,
    attention=GroupedAttention(num_attention_heads=4, attention_bias=True),
    mlp=Mlp(intermediate_size=128, hidden_act="gelu_new", gated=False, mlp_bias=True),
    positions=Alibi(),
    embedding_norm=True,
    norm="layer_norm",
)
FAMILIES: Mapping[str, Architecture] = {
    "llama": LLAMA,
    "qwen2": QWEN2,
    "gpt2": GPT2,
    "opt": OPT,
    "bloom": BLOOM,
}


def training(
    architecture: Architecture,
    *,
    objective: Pretrain | Sft | Dpo | None = None,
    init_from: str | None = None,
    lora: Lora | None = None,
) -> Train:
    """Make the smallest training of an architecture."""
    return Train(
        name="small",
        model=TrainedModel(architecture=architecture, init_from=init_from, lora=lora),
        objective=objective or Pretrain(),
        data=TrainingData(mixture=(MixturePart(dataset="none"),), sequence_length=16, global_batch_size=4),
        steps=4,
    )

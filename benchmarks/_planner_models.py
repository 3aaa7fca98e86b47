"""Models by their few sizes, as tables of published runs name them."""

import csv
from collections.abc import Mapping
from pathlib import Path

from l3_modeltools.schemas import Architecture, GroupedAttention, Mlp

Row = Mapping[str, str]


def rows_of(path: Path) -> list[Row]:
    """The rows of a table with a heading."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def llama(hidden: int, inner: int, heads: int, groups: int, vocabulary: int) -> Architecture:
    """One layer of a model of Llama's kind."""
    return Architecture(
        name="llama",
        model_type="llama",
        hidden_size=hidden,
        num_hidden_layers=1,
        vocab_size=vocabulary,
        max_position_embeddings=131072,
        attention=GroupedAttention(num_attention_heads=heads, num_key_value_heads=groups),
        mlp=Mlp(intermediate_size=inner),
    )

"""The command line in a home of its own that holds a small prepared data set."""

from pathlib import Path

import pytest

from tests.cli.job.conftest import Ogai, environment, home, ogai

__all__ = ["Ogai", "environment", "home", "ogai", "prepared", "training"]

CORPUS = """\
kind: corpus
name: fables
sources: [{type: text, files: "*.txt"}]
tokenizer: {type: bpe, vocab_size: 288}
validation_share: 0.3
"""

TRAINING = """\
kind: train
name: small
model:
  architecture:
    kind: architecture
    name: small-llama
    model_type: llama
    hidden_size: 32
    num_hidden_layers: 2
    vocab_size: 288
    max_position_embeddings: 64
    tie_word_embeddings: true
    attention: {type: grouped, num_attention_heads: 4, num_key_value_heads: 2}
    mlp: {intermediate_size: 64}
data:
  mixture: [{dataset: fables}]
  sequence_length: 32
  global_batch_size: 4
  seed: 3
steps: 12
optimizer:
  learning_rate: 0.01
  schedule: {type: cosine, warmup_steps: 2}
compute: {precision: fp32}
validation: {every_steps: 6, prompts: ["the fox"], max_new_tokens: 8}
checkpoint: {every_steps: 4}
resilience: {backoff_s: 0.1}
resources: {tasks_per_node: 2}
"""

WORDS = ("the", "fox", "and", "a", "crow", "met", "by", "old", "well", "where", "nobody", "drank", "water")


@pytest.fixture
def prepared(ogai: Ogai) -> Path:
    """Prepare forty short texts as the data set `fables`; return the folder they lie in."""
    for number in range(40):
        words = [WORDS[(number * 7 + place * place) % len(WORDS)] for place in range(60)]
        Path(f"fable-{number:02}.txt").write_text(" ".join(words) + ".\n")
    Path("corpus.yaml").write_text(CORPUS)
    said = ogai("data", "prepare", "corpus.yaml")
    assert said.code == 0, said.err
    return Path.cwd()


@pytest.fixture
def training(prepared: Path) -> Path:
    """Write a training of that data set that takes seconds; return its file."""
    file = prepared / "train.yaml"
    file.write_text(TRAINING)
    return file

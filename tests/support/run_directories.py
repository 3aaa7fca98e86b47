"""Run directories with checkpoints of a model that was trained a little, in one process."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import nn
from transformers import PreTrainedTokenizerFast

from l0_infra.core.documents import render_json
from l3_modeltools.checkpoint import Saver, Shelf, architecture_sha256, training_state
from l3_modeltools.schemas import Architecture, Run, Train
from l3_modeltools.training import build_model

__all__ = ["make_run", "make_tokenizer"]

END = "<|end|>"
TEXT = "the quick brown fox jumps over the lazy dog, and the dog sleeps on; a fox is quick"


def make_tokenizer(directory: Path, vocab_size: int) -> None:
    """Train byte pairs on a line of text and keep them as Hugging Face does; token 0 ends a document."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=[END], show_progress=False)
    tokenizer.train_from_iterator([TEXT], trainer)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END).save_pretrained(directory)


def make_run(root: Path, train: Train, *, steps: Sequence[int] = (2,)) -> tuple[Path, nn.Module]:
    """Write a run directory with a checkpoint at each of `steps`; return it, and the model as of the last one."""
    assert train.model is not None
    assert train.data is not None
    architecture = train.model.architecture
    assert isinstance(architecture, Architecture)
    manifest = root / "text" / "dataset.json"
    make_tokenizer(manifest.parent / "tokenizer", architecture.vocab_size)
    manifest.write_text("{}")
    parts = tuple(msgspec.structs.replace(part, dataset=str(manifest)) for part in train.data.mixture)
    train = msgspec.structs.replace(train, data=msgspec.structs.replace(train.data, mixture=parts))
    directory = root / "run"
    directory.mkdir()
    run = Run(run_id="small-1", train=train, directory=str(directory), submitted_at=1.0)
    (directory / "run.json").write_text(render_json(run))
    model = build_model(train, architecture, seed=1)
    save_steps(directory, run, architecture, model, steps)
    return directory, model


def save_steps(
    directory: Path, run: Run, architecture: Architecture, model: nn.Module, steps: Sequence[int]
) -> None:
    optimizer = torch.optim.AdamW([weight for weight in model.parameters() if weight.requires_grad], lr=0.01)
    tokens = torch.randint(architecture.vocab_size, (2, 8), generator=torch.Generator().manual_seed(2))
    with Saver(
        Shelf(directory / "checkpoints"),
        run=run.run_id,
        architecture_sha256=architecture_sha256(architecture),
        keep=run.train.checkpoint,
    ) as saver:
        for step in range(1, max(steps) + 1):
            optimizer.zero_grad()
            model(input_ids=tokens, use_cache=False).logits.logsumexp(-1).sum().backward()
            optimizer.step()
            if step in steps:
                saver.save(training_state(model, optimizer), step=step, tokens=16 * step)
                saver.wait()

"""What a model goes on to write, drawn from a seed of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import torch
from torch import nn
from transformers import AutoTokenizer, GenerationConfig, PreTrainedTokenizerBase

from l0_infra.core.errors import UsageError

__all__ = ["end_tokens", "generate", "load_tokenizer"]

END_OF_TURN = ("<|im_end|>", "<|eot_id|>", "<end_of_turn>")
"""What ends a turn in ChatML, and in the templates of Llama 3 and Gemma."""


def generate(
    model: nn.Module,
    tokenizer_directory: Path,
    prompt: str,
    *,
    max_new_tokens: int,
    seed: int,
    temperature: float = 0.8,
) -> str:
    """Return what `model`, as transformers or peft has it, adds to `prompt`, until it ends the document or its turn.

    `temperature` 0 takes the likeliest token each time; else the text is a function of `seed`. The global random
    state, the weights and the model's mode are left as they were. Of a prompt longer than the context its end counts.
    Raises UsageError where there is no tokenizer.
    """
    tokenizer = load_tokenizer(tokenizer_directory)
    context = getattr(model.config, "max_position_embeddings", None)  # ALiBi has no last position
    added = min(max_new_tokens, context - 1) if context else max_new_tokens
    tokens = tokenizer.encode(prompt) or [tokenizer.eos_token_id]
    tokens = tokens[added - context :] if context else tokens
    device = next(model.parameters()).device
    inputs = torch.tensor([tokens], device=device)
    with _evaluating(model), _seeded(seed, device):
        written = model.generate(  # type: ignore[operator]
            input_ids=inputs,
            attention_mask=torch.ones_like(inputs),
            generation_config=_settings(tokenizer, added, temperature),
        )
    text = tokenizer.decode(written[0, len(tokens) :], skip_special_tokens=True)
    return str(text)


@lru_cache(maxsize=4)
def load_tokenizer(directory: Path) -> PreTrainedTokenizerBase:
    """Load a tokenizer as Hugging Face keeps it; UsageError where there is none."""
    if not (directory / "tokenizer.json").is_file():
        raise UsageError(
            str(directory), found="no tokenizer.json", expected="the tokenizer of a prepared data set"
        )
    tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(directory, local_files_only=True)
    return tokenizer


def end_tokens(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Return the tokens after which nothing more is written: the end of a document first, then those of a turn."""
    known = tokenizer.get_vocab()
    turns = [known[name] for name in END_OF_TURN if name in known]
    return list(dict.fromkeys([tokenizer.eos_token_id, *turns]))


def _settings(tokenizer: PreTrainedTokenizerBase, added: int, temperature: float) -> GenerationConfig:
    ends = end_tokens(tokenizer)
    settings = {"max_new_tokens": added, "eos_token_id": ends, "pad_token_id": ends[0]}
    if temperature:
        settings |= {"do_sample": True, "temperature": temperature, "top_k": 0}
    return GenerationConfig.from_dict(settings)


@contextmanager
def _evaluating(model: nn.Module) -> Iterator[None]:
    training = model.training
    model.eval()
    try:
        # a compiled layer would be compiled anew for each length that the cache grows to
        with torch.no_grad(), torch.compiler.set_stance("force_eager"):
            yield
    finally:
        model.train(training)


@contextmanager
def _seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Draw from `seed` within the block, and go on with the old random states after it."""
    accelerators = [] if device.type == "cpu" else [device]
    with torch.random.fork_rng(devices=accelerators, device_type=device.type if accelerators else "cuda"):
        torch.manual_seed(seed)
        yield

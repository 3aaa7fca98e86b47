"""A model writes from a seed of its own and disturbs nothing."""

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from l0_infra.core.errors import UsageError
from l3_modeltools.training import build_model
from l3_modeltools.training.generate import end_tokens, generate, load_tokenizer
from tests.support.run_directories import make_tokenizer
from tests.support.tiny_models import FAMILIES, LLAMA, training


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    make_tokenizer(tmp_path, LLAMA.vocab_size)
    return tmp_path


@pytest.mark.parametrize("family", FAMILIES)
def test_the_likeliest_tokens_are_those_of_the_logits(tokenizer: Path, family: str) -> None:
    model = build_model(training(FAMILIES[family]), FAMILIES[family], seed=1)
    text = generate(model, tokenizer, "the dog", max_new_tokens=6, seed=0, temperature=0.0)
    words = AutoTokenizer.from_pretrained(tokenizer)
    tokens = words.encode("the dog")
    for _ in range(6):
        with torch.no_grad():
            following = int(model.eval()(input_ids=torch.tensor([tokens])).logits[0, -1].argmax())
        tokens.append(following)
        if following == words.eos_token_id:
            break
    assert text == words.decode(tokens[len(words.encode("the dog")) :], skip_special_tokens=True)


def test_a_text_is_a_function_of_its_seed(tokenizer: Path) -> None:
    model = build_model(training(LLAMA), LLAMA, seed=1)
    texts = [generate(model, tokenizer, "the", max_new_tokens=12, seed=seed) for seed in (1, 2, 1)]
    assert texts[0] == texts[2] != texts[1]


def test_training_goes_on_as_if_nothing_was_written(tokenizer: Path) -> None:
    model = build_model(training(LLAMA), LLAMA, seed=1).train()
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    generate(model, tokenizer, "the", max_new_tokens=4, seed=1)
    assert torch.equal(torch.rand(3), expected)
    assert model.training
    assert all(weight.grad is None for weight in model.parameters())


@pytest.mark.parametrize("prompt", ["", "the dog " * 100])
@pytest.mark.parametrize("added", [3, 500])
@pytest.mark.parametrize("family", ["llama", "gpt2", "bloom"])
def test_prompts_of_any_length_are_gone_on_with(
    tokenizer: Path, prompt: str, added: int, family: str
) -> None:
    model = build_model(training(FAMILIES[family]), FAMILIES[family], seed=1)
    assert isinstance(generate(model, tokenizer, prompt, max_new_tokens=added, seed=1), str)


def test_a_directory_without_tokenizer_is_refused(tmp_path: Path) -> None:
    model = build_model(training(LLAMA), LLAMA, seed=1)
    with pytest.raises(UsageError, match="no tokenizer"):
        generate(model, tmp_path, "the", max_new_tokens=1, seed=1)


def test_a_turn_of_a_chat_ends_a_text_too(tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({"<|end|>": 0, "<|im_end|>": 1, "a": 2}, unk_token="a"))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>").save_pretrained(tmp_path)
    assert end_tokens(load_tokenizer(tmp_path)) == [0, 1]

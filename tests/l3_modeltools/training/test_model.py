"""First weights: the same from the same seed, another model's refused."""

from pathlib import Path

import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import AutoModelForCausalLM

from l0_infra.core.errors import UnhealthyError, UnsatisfiableError, UsageError
from l3_modeltools.schemas import Architecture, Lora
from l3_modeltools.training.model import build_model
from tests.support.tiny_models import FAMILIES, LLAMA, training


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    build_model(training(LLAMA), LLAMA, seed=9).save_pretrained(tmp_path)  # type: ignore[operator]
    return tmp_path


def same(one: nn.Module, other: nn.Module) -> bool:
    mine, theirs = one.state_dict(), other.state_dict()
    return mine.keys() == theirs.keys() and all(torch.equal(mine[name], theirs[name]) for name in mine)


@pytest.mark.parametrize("family", FAMILIES)
def test_random_weights_are_a_function_of_the_seed(family: str) -> None:
    architecture = FAMILIES[family]
    model = build_model(training(architecture), architecture, seed=3)
    torch.rand(5)  # another state of the global generator
    assert same(model, build_model(training(architecture), architecture, seed=3))
    assert not same(model, build_model(training(architecture), architecture, seed=4))
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


def test_building_leaves_the_global_random_state() -> None:
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    build_model(training(LLAMA), LLAMA, seed=3)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_token_is_learnt_from(family: str) -> None:
    """Some families have a padding token by default, whose embedding would never move."""
    model = build_model(training(FAMILIES[family]), FAMILIES[family], seed=3)
    embedding = model.get_input_embeddings()  # type: ignore[operator]
    assert embedding.padding_idx is None
    assert embedding.weight.abs().sum(-1).min() > 0
    tied = model.get_output_embeddings().weight is embedding.weight  # type: ignore[operator]
    assert tied == FAMILIES[family].tie_word_embeddings


def test_first_weights_are_those_of_the_directory(saved: Path) -> None:
    model = build_model(training(LLAMA, init_from=str(saved)), LLAMA, seed=1)
    assert same(model, build_model(training(LLAMA), LLAMA, seed=9))


def test_half_precision_weights_become_fp32(saved: Path) -> None:
    AutoModelForCausalLM.from_pretrained(saved, dtype=torch.bfloat16).save_pretrained(saved)
    model = build_model(training(LLAMA, init_from=str(saved)), LLAMA, seed=1)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


def edited(**fields: object) -> Architecture:
    return Architecture(**{name: getattr(LLAMA, name) for name in LLAMA.__struct_fields__} | fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("architecture", "words"),
    [
        (edited(vocab_size=99), "vocab_size"),
        (edited(num_hidden_layers=3), "num_hidden_layers"),
        (edited(hidden_size=64), "hidden_size"),
        (edited(tie_word_embeddings=True), "tie_word_embeddings"),
        (FAMILIES["gpt2"], "model_type"),
    ],
)
def test_weights_of_another_architecture_are_refused(
    saved: Path, architecture: Architecture, words: str
) -> None:
    with pytest.raises(UnsatisfiableError) as caught:
        build_model(training(architecture, init_from=str(saved)), architecture, seed=1)
    assert words in str(caught.value)
    assert str(saved) in caught.value.where


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("missing", "missing: `model.norm.weight`"),
        ("surplus", "surplus: `model.third.weight`"),
        ("shape", "(5, 5)"),
    ],
)
def test_tensors_of_another_model_are_refused(saved: Path, change: str, words: str) -> None:
    tensors = load_file(saved / "model.safetensors")
    if change == "surplus":
        tensors["model.third.weight"] = torch.ones(2)
    elif change == "missing":
        del tensors["model.norm.weight"]
    else:
        tensors["model.layers.1.mlp.up_proj.weight"] = torch.ones(5, 5)
    save_file(tensors, saved / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UnsatisfiableError) as caught:
        build_model(training(LLAMA, init_from=str(saved)), LLAMA, seed=1)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "damage", ["no directory", "no weights", "no config", "half a file", "no shard", "index"]
)
def test_what_is_no_model_is_refused(saved: Path, damage: str) -> None:
    weights = saved / "model.safetensors"
    where = saved / "nowhere" if damage == "no directory" else saved
    if damage == "no weights":
        weights.unlink()
    elif damage == "no config":
        (saved / "config.json").unlink()
    elif damage == "half a file":
        weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    elif damage == "no shard":
        AutoModelForCausalLM.from_pretrained(saved).save_pretrained(saved, max_shard_size="10KB")
        weights.unlink(missing_ok=True)
        next(saved.glob("model-00001-of-*")).unlink()
    elif damage == "index":
        weights.rename(saved / "model.safetensors.index.json").write_text('{"weight_map": 3}')
    with pytest.raises(UnhealthyError if damage in ("half a file", "no shard", "index") else UsageError):
        build_model(training(LLAMA, init_from=str(where)), LLAMA, seed=1)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_adapter_changes_nothing_at_first_and_is_seeded(tmp_path: Path, family: str) -> None:
    architecture = FAMILIES[family]
    first = build_model(training(architecture), architecture, seed=9)
    first.save_pretrained(tmp_path)  # type: ignore[operator]
    train = training(architecture, init_from=str(tmp_path), lora=Lora(r=2))
    model = build_model(train, architecture, seed=1)
    assert isinstance(model, PeftModel)
    trained = [name for name, value in model.named_parameters() if value.requires_grad]
    assert trained
    assert all("lora_" in name for name in trained)
    tokens = torch.arange(8).unsqueeze(0)
    assert torch.equal(model(input_ids=tokens).logits, first(input_ids=tokens).logits)
    assert same(model, build_model(train, architecture, seed=1))
    assert not same(model, build_model(train, architecture, seed=2))


def test_an_adapter_to_layers_that_are_not_there_is_refused(saved: Path) -> None:
    train = training(LLAMA, init_from=str(saved), lora=Lora(target_modules=("query",)))
    with pytest.raises(UnsatisfiableError, match="down_proj, gate_proj, k_proj, lm_head, o_proj, q_proj"):
        build_model(train, LLAMA, seed=1)

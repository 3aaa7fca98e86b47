from typing import Any

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoConfig, AutoModelForCausalLM

from l3_modeltools.architectures import (
    MODEL_TYPES,
    PRESETS,
    count_parameters,
    flops_per_token,
    matmul_parameters,
    preset,
    render_hf_config,
)
from l3_modeltools.schemas import Architecture, GroupedAttention, LearnedPositions, Mlp
from tests.support.architectures import FAMILIES

# Totals as published, or as counted in the published weights; the tolerance is half of the last digit given.
PUBLISHED = {
    "llama-3.1-8b": (8_030_261_248, 0),
    "llama-3.1-70b": (70_553_706_496, 0),
    "llama-3.1-405b": (405_853_388_800, 0),
    "llama-3.2-1b": (1_235_814_400, 0),
    "qwen2.5-7b": (7_615_616_512, 0),
    "qwen2-72b": (72_706_203_648, 0),
    "qwen3-30b-a3b": (30_532_122_624, 0),
    "qwen3-235b-a22b": (235_093_634_560, 0),
    "mistral-7b-v0.3": (7_248_023_552, 0),
    "mixtral-8x7b": (46_702_792_704, 0),
    "gpt-3-175b": (174_600_000_000, 50_000_000),
    "opt-175b": (175_000_000_000, 500_000_000),
    "yuan-1.0-245.7b": (245_730_000_000, 5_000_000),
    "deepseek-v3": (671_000_000_000, 500_000_000),
    "tiny-llama": (4_196_608, 0),
    "ogai-50m": (51_786_240, 0),
}

LEARNED = {
    "tie_word_embeddings": True,
    "attention": GroupedAttention(num_attention_heads=4, attention_bias=True),
    "mlp": Mlp(intermediate_size=512, hidden_act="relu", gated=False, mlp_bias=True),
    "norm": "layer_norm",
}
TINY = preset("tiny-llama")
BIASED = GroupedAttention(
    num_attention_heads=8, num_key_value_heads=2, attention_bias=True, output_bias=False
)
MEASURED = {
    "llama": TINY,
    "qwen2": msgspec.structs.replace(TINY, model_type="qwen2", attention=BIASED),
    "gpt2": msgspec.structs.replace(TINY, model_type="gpt2", positions=LearnedPositions(), **LEARNED),
    "opt": msgspec.structs.replace(TINY, model_type="opt", positions=LearnedPositions(offset=2), **LEARNED),
}


def hf_model(architecture: Architecture, **options: Any) -> torch.nn.Module:
    fields = render_hf_config(architecture)
    config = AutoConfig.for_model(fields.pop("model_type"), **fields)
    model: torch.nn.Module = AutoModelForCausalLM.from_config(config, **options)
    return model


def hf_parameters(architecture: Architecture) -> int:
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in hf_model(architecture).parameters())


def test_every_preset_has_a_published_total() -> None:
    assert set(PUBLISHED) == set(PRESETS)


@pytest.mark.parametrize("name", PUBLISHED)
def test_totals_are_the_published_ones(name: str) -> None:
    total, tolerance = PUBLISHED[name]
    assert abs(count_parameters(preset(name)).total - total) <= tolerance


def test_activated_and_further_parameters_are_the_published_ones() -> None:
    count = count_parameters(preset("deepseek-v3"))
    assert round((count.activated - count.embedding) / 1e9) == 37
    for name, activated in (("mixtral-8x7b", 12.9), ("qwen3-30b-a3b", 3.4), ("qwen3-235b-a22b", 22.2)):
        assert round(count_parameters(preset(name)).activated / 1e9, 1) == activated
    # The published files hold 14B more than the 671B: this layer, and once more embedding and output.
    assert 13 < (count.further + count.embedding + count.output) / 1e9 < 14


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_small_models_are_counted_as_transformers_builds_them(model_type: str) -> None:
    @settings(max_examples=12, deadline=None)
    @given(FAMILIES[model_type])
    def law(architecture: Architecture) -> None:
        assert count_parameters(architecture).total == hf_parameters(architecture)

    law()


@pytest.mark.parametrize("name", ["tiny-llama", "ogai-50m", "llama-3.2-1b", "qwen2.5-7b"])
def test_presets_are_counted_as_transformers_builds_them(name: str) -> None:
    assert count_parameters(preset(name)).total == hf_parameters(preset(name))


@given(st.one_of(*FAMILIES.values()))
def test_what_a_token_activates_is_part_of_the_whole(architecture: Architecture) -> None:
    count = count_parameters(architecture)
    assert 0 < count.activated <= count.total
    assert matmul_parameters(architecture) <= count.activated + count.embedding


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "gpt2", "opt"])
def test_flops_are_those_that_torch_counts(model_type: str) -> None:
    """torch counts all s² scores of eager attention; the formula counts the half that a causal mask leaves."""
    architecture, rows, length = MEASURED[model_type], 2, 48
    model = hf_model(architecture, attn_implementation="eager")
    with FlopCounterMode(display=False) as counter:
        ids = torch.zeros(rows, length, dtype=torch.long)
        model(input_ids=ids, use_cache=False).logits.sum().backward()
    other_half = 6 * architecture.num_hidden_layers * length * architecture.hidden_size
    expected = flops_per_token(architecture, length) + other_half
    assert counter.get_total_flops() / (rows * length) == pytest.approx(expected, rel=1e-3)


def test_a_token_of_a_mixture_pays_for_the_chosen_experts_only() -> None:
    sparse = preset("deepseek-v3")
    assert sparse.experts is not None
    more = msgspec.structs.replace(sparse.experts, n_routed_experts=512)
    wider = msgspec.structs.replace(sparse, experts=more)
    routers = 58 * 256 * 7168  # the router alone sees them
    assert matmul_parameters(wider) - matmul_parameters(sparse) == routers


def test_a_token_of_a_mixture_pays_for_every_shared_expert() -> None:
    sparse = preset("deepseek-v3")
    assert sparse.experts is not None
    more = msgspec.structs.replace(sparse.experts, n_shared_experts=2)
    another = msgspec.structs.replace(sparse, experts=more)
    assert matmul_parameters(another) - matmul_parameters(sparse) == 58 * 3 * 7168 * 2048


def test_a_layer_for_a_further_token_is_a_layer_a_join_and_three_norms() -> None:
    further = msgspec.structs.replace(preset("deepseek-v3"), num_hidden_layers=62)
    layer = count_parameters(further).total - count_parameters(preset("deepseek-v3")).total
    assert count_parameters(further).further == layer + 2 * 7168 * 7168 + 3 * 7168

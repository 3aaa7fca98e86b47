from typing import Literal

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from transformers import AutoConfig, AutoModelForCausalLM

from l3_modeltools.architectures import count_parameters, preset, render_hf_config
from l3_modeltools.planning import checkpoint_bytes, estimate_memory, trained_parameters
from l3_modeltools.planning.activations import Mixing, activation_bytes
from l3_modeltools.schemas import (
    Alibi,
    Architecture,
    Degrees,
    Dpo,
    GroupedAttention,
    LearnedPositions,
    Lora,
    Mlp,
    Recompute,
    Strategy,
    Train,
    TrainedModel,
)
from tests.support.saved_tensors import LENGTH, ROWS, kept_bytes
from tests.support.trainings import training

TINY = preset("tiny-llama")
GPT2 = replace(
    TINY,
    model_type="gpt2",
    attention=GroupedAttention(num_attention_heads=8, attention_bias=True),
    mlp=Mlp(intermediate_size=1024, hidden_act="gelu_new", gated=False, mlp_bias=True),
    positions=LearnedPositions(),
    norm="layer_norm",
)
FAMILIES = {
    "llama": TINY,
    "qwen3": replace(TINY, model_type="qwen3", attention=replace(TINY.attention, head_dim=48, qk_norm=True)),
    "gpt2": GPT2,
    "opt": replace(
        GPT2, model_type="opt", positions=LearnedPositions(offset=2), mlp=replace(GPT2.mlp, hidden_act="relu")
    ),
    "bloom": replace(GPT2, model_type="bloom", positions=Alibi(), embedding_norm=True),
}


@pytest.mark.parametrize("mixing", ["fp32", "autocast", "sharded"])
@pytest.mark.parametrize("family", FAMILIES)
def test_activations_are_those_that_autograd_keeps(family: str, mixing: Mixing) -> None:
    estimate = activation_bytes(
        FAMILIES[family],
        tokens=ROWS * LENGTH,
        mixing=mixing,
        recompute=Recompute(),
        sequence_length=LENGTH,
        masked=False,
    )
    assert estimate == pytest.approx(kept_bytes(FAMILIES[family], mixing, masked=False), rel=0.03)


@pytest.mark.parametrize("mixing", ["fp32", "autocast"])
def test_a_mask_between_documents_is_counted(mixing: Mixing) -> None:
    estimate = activation_bytes(
        TINY, tokens=ROWS * LENGTH, mixing=mixing, recompute=Recompute(), sequence_length=LENGTH, masked=True
    )
    assert estimate == pytest.approx(kept_bytes(TINY, mixing, masked=True), rel=0.03)


def test_terms_of_a_plain_training_follow_from_the_parameters() -> None:
    terms, total = estimate_memory(training(), TINY), count_parameters(TINY).total
    assert (terms.weights, terms.gradients, terms.optimizer) == (4 * total, 4 * total, 8 * total)
    assert terms.staging == checkpoint_bytes(training(), TINY) == 12 * total
    assert terms.logits == 256 * 4096 * 4
    assert terms.communication == terms.context == 0
    assert terms.workspace == (terms.activations + terms.logits) // 4 + 2 * 4 * 4096 * 256
    assert terms.total == terms.device + terms.host == sum(size for _, size in terms.named())


def strategy(
    dp: int = 1, zero: Literal[0, 1, 2, 3] = 0, micro: int = 1, mode: Literal["none", "full"] = "none"
) -> Strategy:
    return Strategy(
        degrees=Degrees(dp=dp), zero_stage=zero, micro_batch_size=micro, recompute=Recompute(mode=mode)
    )


MODELS = st.sampled_from(
    [preset(name) for name in ("tiny-llama", "llama-3.1-8b", "gpt-3-175b", "qwen2.5-7b")]
)
PRECISIONS = st.sampled_from(["bf16", "fp32"])


@given(MODELS, PRECISIONS, st.sampled_from([1, 2, 3]), st.integers(1, 8), st.integers(2, 64))
def test_sharding_over_more_ranks_never_costs_more(
    model: Architecture, precision: Literal["bf16", "fp32"], zero: Literal[1, 2, 3], micro: int, dp: int
) -> None:
    few, many = (
        estimate_memory(
            training(
                ranks=ranks,
                batch=4 * 2 * dp * micro,
                precision=precision,
                strategy=strategy(ranks, zero, micro),
            ),
            model,
        )
        for ranks in (dp, 2 * dp)
    )
    assert many.optimizer <= few.optimizer / 2 + 1
    assert many.total < few.total


@given(MODELS, PRECISIONS, st.integers(1, 8), st.sampled_from([0, 2, 3]), st.sampled_from([1, 2, 8]))
def test_a_larger_micro_batch_costs_more_and_recomputing_less(
    model: Architecture,
    precision: Literal["bf16", "fp32"],
    micro: int,
    zero: Literal[0, 2, 3],
    dp: int,
) -> None:
    def need(micro: int, mode: Literal["none", "full"] = "none") -> int:
        wish = training(
            ranks=dp, batch=8 * dp * micro, precision=precision, strategy=strategy(dp, zero, micro, mode)
        )
        return estimate_memory(wish, model).total

    assert need(micro + 1) > need(micro)
    assert need(micro, "full") < need(micro)


@given(st.sampled_from([2, 4, 8]))
def test_each_stage_of_sharding_saves_on_several_ranks(dp: int) -> None:
    model = preset("llama-3.1-8b")
    needs = [
        estimate_memory(
            training(ranks=dp, batch=8 * dp, precision="bf16", strategy=strategy(dp, zero)), model
        )
        for zero in (0, 1, 2, 3)
    ]
    assert needs[0].optimizer > needs[1].optimizer == needs[2].optimizer == needs[3].optimizer
    assert needs[1].gradients > needs[2].gradients  # whole until the last of several micro batches
    assert needs[2].weights > needs[3].weights


@pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing:FutureWarning")  # peft's own
def test_an_adapter_has_gradients_and_states_of_its_own_only() -> None:
    from peft import LoraConfig, get_peft_model

    fields = render_hf_config(TINY)
    config = AutoConfig.for_model(fields.pop("model_type"), **fields)
    with torch.device("meta"):
        for lora in (Lora(r=4), Lora(r=8, target_modules=("q_proj", "o_proj", "up_proj", "down_proj"))):
            wish = replace(training(), model=TrainedModel(init_from="x", lora=lora))
            peft = LoraConfig(
                r=lora.r, target_modules=list(lora.target_modules) or None, task_type="CAUSAL_LM"
            )
            model = get_peft_model(AutoModelForCausalLM.from_config(config), peft)
            trained = sum(one.numel() for one in model.parameters() if one.requires_grad)
            assert trained_parameters(wish, TINY) == trained
            terms = estimate_memory(wish, TINY)
            assert (terms.gradients, terms.optimizer, terms.staging) == (
                4 * trained,
                8 * trained,
                12 * trained,
            )
            assert terms.weights == 4 * (count_parameters(TINY).total + trained)


@pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing:FutureWarning")  # peft's own
@pytest.mark.parametrize(
    ("family", "targets"),
    [
        ("gpt2", ()),
        ("gpt2", ("c_proj", "c_fc")),
        ("opt", ()),
        ("opt", ("out_proj", "fc1")),
        ("bloom", ()),
        ("bloom", ("dense", "dense_h_to_4h", "dense_4h_to_h")),
    ],
)
def test_adapters_of_other_families_are_counted_as_peft_makes_them(
    family: str, targets: tuple[str, ...]
) -> None:
    from peft import LoraConfig, get_peft_model

    fields = render_hf_config(FAMILIES[family])
    config = AutoConfig.for_model(fields.pop("model_type"), **fields)
    with torch.device("meta"):
        peft = LoraConfig(
            r=4, target_modules=list(targets) or None, task_type="CAUSAL_LM", fan_in_fan_out=family == "gpt2"
        )
        model = get_peft_model(AutoModelForCausalLM.from_config(config), peft)
    wish = replace(training(), model=TrainedModel(init_from="x", lora=Lora(r=4, target_modules=targets)))
    assert trained_parameters(wish, FAMILIES[family]) == model.get_nb_trainable_parameters()[0]


def test_preferences_bring_the_first_weights_and_twice_the_batch() -> None:
    plain, pairs = training(), replace(training(), objective=Dpo())
    one, two = estimate_memory(plain, TINY), estimate_memory(pairs, TINY)
    assert two.weights == 2 * one.weights
    assert (two.activations, two.logits) == (2 * one.activations, 2 * one.logits)
    assert two.optimizer == one.optimizer


def test_on_an_accelerator_only_copies_for_checkpoints_stay_on_the_host() -> None:
    wish: Train = training(gpus=8, precision="bf16", strategy=strategy(8))
    terms = estimate_memory(wish, preset("llama-3.2-1b"))
    assert terms.host == terms.staging + terms.framework
    assert terms.device > 16 * count_parameters(preset("llama-3.2-1b")).total
    assert terms.context > 0

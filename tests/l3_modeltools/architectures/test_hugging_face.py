import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from transformers import AutoConfig

from l0_infra.core.errors import DocumentError, OgaiError, UnsatisfiableError
from l3_modeltools.architectures import (
    MODEL_TYPES,
    PRESETS,
    count_parameters,
    parse_hf_config,
    preset,
    render_hf_config,
)
from l3_modeltools.schemas import Alibi, Architecture, LearnedPositions
from tests.support.architectures import FAMILIES

ANY = st.one_of(*FAMILIES.values())


def reread(architecture: Architecture) -> Architecture:
    return parse_hf_config(json.dumps(render_hf_config(architecture)), where="config.json")


@given(ANY)
def test_what_is_written_is_read_as_the_same(architecture: Architecture) -> None:
    again = reread(architecture)
    assert render_hf_config(again) == render_hf_config(architecture)
    assert count_parameters(again) == count_parameters(architecture)
    assert reread(again) == again
    assert again.positions == architecture.positions
    assert again.experts == architecture.experts
    assert again.norm_eps == architecture.norm_eps


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_written_and_read(name: str) -> None:
    again = reread(preset(name))
    assert replace(again, name=name, sources=(), attention=preset(name).attention) == replace(
        preset(name), sources=()
    )


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_what_transformers_writes_of_it_is_read_as_the_same(model_type: str) -> None:
    """`to_json_string(use_diff=False)` writes every field, rotations in their newer form."""

    @settings(max_examples=10, deadline=None)
    @given(FAMILIES[model_type])
    def law(architecture: Architecture) -> None:
        fields = render_hf_config(architecture)
        config = AutoConfig.for_model(fields.pop("model_type"), **fields)
        again = parse_hf_config(config.to_json_string(use_diff=False), where="config.json")
        assert again == reread(architecture)

    law()


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_what_is_left_out_is_what_transformers_takes(model_type: str) -> None:
    whole = AutoConfig.for_model(model_type).to_json_string(use_diff=False)
    if model_type == "mistral":
        whole = whole.replace('"sliding_window": 4096', '"sliding_window": null')
    short = {"model_type": model_type} | ({"sliding_window": None} if model_type == "mistral" else {})
    assert parse_hf_config(json.dumps(short), where="x") == parse_hf_config(whole, where="x")


def test_a_width_of_bloom_is_read_under_both_of_its_names() -> None:
    for name in ("n_embed", "hidden_size"):
        assert parse_hf_config(json.dumps({"model_type": "bloom", name: 128}), where="x").hidden_size == 128


REFUSED = [
    ({"model_type": "mamba"}, "config.json: model_type: found `mamba`"),
    ({}, "config.json: model_type: found `nothing`"),
    ({"model_type": "llama", "hidden_act": "tanh"}, "hidden_act: found `tanh`; expected `silu`"),
    ({"model_type": "qwen3_moe", "decoder_sparse_step": 2}, "decoder_sparse_step: found `2`; expected `1`"),
    ({"model_type": "qwen3_moe", "mlp_only_layers": [3]}, "mlp_only_layers: found `[3]`"),
    ({"model_type": "mistral"}, "sliding_window: found `4096`; expected null"),
    ({"model_type": "qwen2", "use_sliding_window": True}, "use_sliding_window: found `True`"),
    ({"model_type": "opt", "do_layer_norm_before": False}, "do_layer_norm_before: found `False`"),
    ({"model_type": "opt", "hidden_size": 64, "word_embed_proj_dim": 32}, "word_embed_proj_dim: found `32`"),
    ({"model_type": "gpt2", "scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx"),
    ({"model_type": "bloom", "apply_residual_connection_post_layernorm": True}, "expected `False`"),
    ({"model_type": "deepseek_v3", "scoring_func": "softmax"}, "scoring_func: found `softmax`"),
    ({"model_type": "llama", "rope_scaling": {"type": "dynamic", "factor": 2}}, "rope_type: found `dynamic`"),
    ({"model_type": "llama", "partial_rotary_factor": 0.5}, "partial_rotary_factor: found `0.5`"),
    (
        {"model_type": "llama", "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}},
        "rope_parameters: partial_rotary_factor: found `0.5`",
    ),
    (
        {"model_type": "llama", "rope_parameters": {"rope_type": "yarn", "partial_rotary_factor": 0.5}},
        "rope_parameters: partial_rotary_factor: found `0.5`",
    ),
    (
        {"model_type": "qwen2", "rope_scaling": {"type": "yarn", "attention_factor": 1.5}},
        "rope_scaling: attention_factor: found `1.5`",
    ),
    (
        {"model_type": "qwen2", "rope_scaling": {"type": "yarn", "truncate": False}},
        "rope_scaling: truncate: found `False`",
    ),
    ({"model_type": "deepseek_v3", "rope_interleave": False}, "rope_interleave: found `False`"),
    ({"model_type": "opt", "_remove_final_layer_norm": True}, "_remove_final_layer_norm: found `True`"),
]


@pytest.mark.parametrize(("fields", "words"), REFUSED)
def test_what_an_architecture_cannot_say_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(UnsatisfiableError) as caught:
        parse_hf_config(json.dumps(fields), where="config.json")
    assert words in str(caught.value)
    assert "framework: command" in caught.value.hint


BAD = [
    ("[1]", "no JSON object"),
    ("{", "no JSON object"),
    ('{"model_type": "llama", "hidden_size": "4096"}', "hidden_size: found `4096`; expected an integer"),
    ('{"model_type": "llama", "hidden_size": true}', "hidden_size: found `True`; expected an integer"),
    ('{"model_type": "llama", "vocab_size": 0}', "vocab_size: found `0`; expected an integer of 1 or more"),
    ('{"model_type": "llama", "rms_norm_eps": -1}', "rms_norm_eps: found `-1`; expected a number above 0"),
    ('{"model_type": "llama", "tie_word_embeddings": 1}', "found `1`; expected true or false"),
    ('{"model_type": "llama", "rope_scaling": 3}', "rope_scaling: found `3`; expected a mapping"),
    (
        '{"model_type": "llama", "rope_scaling": {"rope_type": "llama3", "factor": 8}}',
        "rope_scaling: low_freq_factor: found no `low_freq_factor`",
    ),
    ('{"model_type": "llama", "hidden_size": 30}', "found hidden_size 30 = 32 × 0 + 30"),
    ('{"model_type": "llama", "num_key_value_heads": 5}', "num_attention_heads 32 = 5 × 6 + 2"),
]


@pytest.mark.parametrize(("text", "words"), BAD)
def test_a_bad_config_is_told_where_it_is_bad(text: str, words: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_hf_config(text, where="config.json")
    assert words in str(caught.value)


TINY = preset("tiny-llama")
UNSAYABLE = [
    (replace(TINY, model_type="mamba"), "model_type: found `mamba`; expected one of `bloom`"),
    (replace(TINY, positions=Alibi()), "positions: found `alibi`; expected `rope`"),
    (replace(TINY, norm="layer_norm"), "norm: found `layer_norm`; expected `rms_norm`"),
    (replace(TINY, embedding_norm=True), "embedding_norm: found `True`"),
    (replace(TINY, model_type="gpt2"), "attention.num_key_value_heads: found `4`; expected `8`"),
    (replace(TINY, model_type="qwen2"), "attention.attention_bias: found `False`; expected `True`"),
    (replace(TINY, experts=preset("deepseek-v3").experts), "experts: found `experts`; expected null"),
    (replace(preset("opt-175b"), norm_eps=1e-6), "norm_eps: found `1e-06`; expected `1e-05`"),
    (replace(preset("opt-175b"), positions=LearnedPositions()), "positions.offset: found `0`; expected `2`"),
]


@pytest.mark.parametrize(("architecture", "words"), UNSAYABLE)
def test_what_transformers_cannot_say_is_refused(architecture: Architecture, words: str) -> None:
    with pytest.raises(OgaiError) as caught:
        render_hf_config(architecture)
    assert words in str(caught.value)
    assert isinstance(caught.value, UnsatisfiableError)
    assert caught.value.hint

"""The tensors of a layer against what autograd keeps of one, and against the formula of the paper."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from l3_modeltools.architectures import preset
from l3_modeltools.frameworks import practice_of
from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes import layer_tensors, rank_of
from l3_modeltools.schemas import (
    Architecture,
    Degrees,
    GroupedAttention,
    LearnedPositions,
    Mlp,
    Practice,
    Strategy,
)
from tests.support.planner import Sizes, setting
from tests.support.saved_tensors import LENGTH, ROWS, kept_bytes

TINY = preset("tiny-llama")
FAMILIES = {
    "llama": TINY,
    "qwen3": replace(TINY, model_type="qwen3", attention=replace(TINY.attention, head_dim=48, qk_norm=True)),
    "opt": replace(
        TINY,
        model_type="opt",
        attention=GroupedAttention(num_attention_heads=8, attention_bias=True),
        mlp=Mlp(intermediate_size=1024, hidden_act="relu", gated=False, mlp_bias=True),
        positions=LearnedPositions(offset=2),
        norm="layer_norm",
    ),
}


def layer_bytes(one: Setting, *, sparse: bool = False) -> int:
    return sum(tensor.size for tensor in layer_tensors(rank_of(one), sparse=sparse))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_layer_keeps_what_autograd_keeps_of_it(family: str) -> None:
    """In 16 bits throughout, as FSDP has it; one layer is what a model of one layer more keeps more."""
    model = FAMILIES[family]
    more = replace(model, num_hidden_layers=model.num_hidden_layers + 1)
    kept = kept_bytes(more, "sharded", masked=False) - kept_bytes(model, "sharded", masked=False)
    strategy = Strategy(micro_batch_size=ROWS)
    eager = setting(model, strategy, sequence_length=LENGTH, practice=Practice(fused_elementwise=False))
    assert layer_bytes(eager) == pytest.approx(kept, rel=0.03)


@given(
    hidden=st.integers(1, 8).map(lambda n: 1024 * n),
    heads=st.sampled_from([8, 16, 64]),
    tp=st.sampled_from([1, 2, 8]),
    micro=st.integers(1, 4),
    length=st.sampled_from([512, 2048]),
    sequences=st.booleans(),
)
def test_a_classic_layer_follows_the_papers_equations(
    hidden: int, heads: int, tp: int, micro: int, length: int, sequences: bool
) -> None:
    """s b h (10 + 24/t + 5as/ht), and s b h/t (34 + 5as/h) with sequences split (arXiv:2205.05198, eq. 2 and 4)."""
    sizes = Sizes(hidden=hidden, inner=4 * hidden, layers=4, heads=heads, vocabulary=51200, gated=False)
    split = sequences and tp > 1
    strategy = Strategy(degrees=Degrees(tp=tp, sequence_parallel=split), micro_batch_size=micro)
    practice = practice_of("megatron-2022")
    one = setting(sizes.architecture(), strategy, sequence_length=length, practice=practice)
    scores = 5 * heads * length / hidden
    factor = (34 + scores) / tp if split else 10 + 24 / tp + scores / tp
    assert layer_bytes(one) == round(length * micro * hidden * factor)


def test_experts_keep_the_tokens_that_come_to_them() -> None:
    model = preset("deepseek-v3")
    one = setting(model)
    sizes = {tensor.name: tensor.size for tensor in layer_tensors(rank_of(one), sparse=True)}
    tokens, each = 4096, 2 * 4096
    assert sizes["tokens of the experts"] == 8 * each * 7168
    assert sizes["width of the experts"] == 2 * sizes["activation of the experts"] == 2 * 8 * each * 2048
    assert sizes["activation of the shared experts"] == each * 2048
    assert sizes["queries"] == sizes["keys"] == each * 128 * 192
    assert sizes["values"] == sizes["result of attention"] == each * 128 * 128
    assert sizes["sums of the scores"] == 4 * tokens * 128


def test_attention_that_writes_its_scores_keeps_them() -> None:
    model: Architecture = TINY
    slow, flash = (
        layer_bytes(setting(model, sequence_length=1024, practice=Practice(flash_attention=flash)))
        for flash in (False, True)
    )
    heads = model.attention.num_attention_heads
    assert slow - flash == 1024 * heads * (2 * 1024 - 4)

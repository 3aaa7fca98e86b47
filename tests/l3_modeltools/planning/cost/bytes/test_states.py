"""What lasts and what travels: weights, gradients, optimizer, buffers, by hand-worked numbers and published ones."""

import pytest
from msgspec.structs import replace

from l3_modeltools.architectures import count_parameters, preset
from l3_modeltools.frameworks import practice_of
from l3_modeltools.planning import estimate_memory
from l3_modeltools.planning.cost.bytes import StageMemory, memory_of
from l3_modeltools.schemas import (
    Architecture,
    Degrees,
    Kept,
    Pipeline,
    Practice,
    Recompute,
    Strategy,
    balanced_offset,
)
from tests.support.planner import Sizes, setting
from tests.support.trainings import training

LLAMA, V3, SMALL = preset("llama-3.1-8b"), preset("deepseek-v3"), preset("llama-3.2-1b")
TITAN = practice_of("torchtitan")


def first(model: Architecture, strategy: Strategy, practice: Practice) -> StageMemory:
    return memory_of(setting(model, strategy, practice=practice)).stages[0]


def test_figure_1_of_the_zero_paper_is_met() -> None:
    """7.5 B parameters on 64 ranks: 120, 31.4, 16.6 and 1.9 GB (arXiv:1910.02054)."""
    sizes = Sizes(hidden=4096, inner=16384, layers=36, heads=32, vocabulary=57344, gated=False)
    model = sizes.architecture()
    assert count_parameters(model).total == pytest.approx(7.5e9, rel=0.002)
    practice = Practice(compute="fp16", weights="fp16", gradients="fp16")
    states = []
    for zero in (0, 1, 2, 3):
        stage = first(model, Strategy(degrees=Degrees(dp=64), zero_stage=zero), practice)
        states.append((stage.weights + stage.gradients + stage.master_and_moments) / 1e9)
    assert states == pytest.approx([120, 31.4, 16.6, 1.9], rel=0.02)


def test_context_parallel_ranks_share_what_zero_shards() -> None:
    copies = Strategy(degrees=Degrees(dp=8), zero_stage=1)
    mixed = Strategy(degrees=Degrees(dp=2, cp=4), zero_stage=1)
    assert (
        first(LLAMA, copies, Practice()).master_and_moments
        == first(LLAMA, mixed, Practice()).master_and_moments
    )


def test_experts_are_dealt_out_and_their_optimizer_shared_by_fewer() -> None:
    """58 layers with 256 experts of 3 · 7168 · 2048 weights; what is left is on every rank."""
    everywhere, dealt = (
        first(V3, Strategy(degrees=Degrees(dp=64, ep=ep), zero_stage=1), Practice()) for ep in (1, 32)
    )
    experts = (58 + 1) * 256 * 3 * 7168 * 2048
    assert everywhere.weights - dealt.weights == 2 * (experts - experts // 32)
    assert everywhere.master_and_moments == pytest.approx(dealt.master_and_moments, abs=64)


def test_tensor_parallelism_cuts_matrices_and_not_norms() -> None:
    whole, cut = (first(LLAMA, Strategy(degrees=Degrees(tp=tp)), Practice()).weights // 2 for tp in (1, 8))
    norms = (2 * 32 + 1) * 4096
    assert cut == (whole - norms) // 8 + norms


def test_a_tied_embedding_lies_on_both_ends() -> None:
    table = SMALL.vocab_size * SMALL.hidden_size
    ends = memory_of(setting(SMALL, Strategy(degrees=Degrees(pp=4)))).stages
    assert ends[0].weights - ends[1].weights == 2 * table
    assert ends[3].weights - ends[1].weights == 2 * (table + SMALL.hidden_size)


def test_what_predicts_further_tokens_has_the_embedding_and_logits_of_its_own() -> None:
    strategy = Strategy(
        degrees=Degrees(dp=8, pp=2, ep=8), pipeline=Pipeline(offset=balanced_offset(62, 2, 1)), zero_stage=1
    )
    plain = replace(V3, num_hidden_layers=62, num_nextn_predict_layers=0)
    with_it, without = (memory_of(setting(model, strategy)).stages[1] for model in (V3, plain))
    table, hidden = V3.vocab_size * V3.hidden_size, V3.hidden_size
    assert with_it.weights - without.weights == 2 * (table + 2 * hidden * hidden + 3 * hidden)
    assert with_it.logits > without.logits > 0


def test_sharded_weights_stay_gathered_through_a_pipelined_step() -> None:
    """In 8 bits where there are data-parallel copies; context-parallel ones alone gather 16 (torchtitan, float8.py)."""
    practice = replace(TITAN, compute="fp8")
    by_copies, by_context = (
        memory_of(setting(LLAMA, Strategy(degrees=degrees, zero_stage=3), practice=practice)).stages[0]
        for degrees in (Degrees(dp=8, pp=2), Degrees(cp=8, pp=2))
    )
    held = by_context.weights - by_copies.weights
    assert by_copies.weights == held + held * 4 // 8
    assert by_context.weights == 2 * held + held * 4 // 8
    assert by_copies.gradients == 4 * held + held * 4 // 8


def test_gathering_of_a_step_without_a_pipeline_is_buffers() -> None:
    """Ends twice, for they arrive in one piece, and two layers."""
    stage = first(LLAMA, Strategy(degrees=Degrees(dp=8), zero_stage=3), TITAN)
    count = count_parameters(LLAMA)
    ends = 2 * count.embedding + 4096
    layer = (count.total - ends) // 32
    assert stage.communication == 2 * 2 * ends + 2 * 2 * layer
    assert first(LLAMA, Strategy(zero_stage=3), TITAN).communication == 0


def test_the_end_of_a_step_without_activations_scatters_the_ends() -> None:
    """One short sequence, all recomputed: gradients of the ends in 16 bits and fp32, no gathered weights."""
    strategy = Strategy(degrees=Degrees(dp=8), zero_stage=3, recompute=Recompute(mode="full"))
    stage = memory_of(setting(LLAMA, strategy, sequence_length=64, practice=TITAN)).stages[0]
    count = count_parameters(LLAMA)
    ends = 2 * count.embedding + 4096
    layer = (count.total - ends) // 32
    passing = stage.activations + stage.logits + stage.workspace
    gathered = 2 * ends + 2 * 2 * layer
    assert passing + gathered == max((2 + 4) * ends, gathered + stage.activations + stage.logits)


def test_shared_gradients_pass_beside_a_layers_backward_pass_and_not_beside_the_loss() -> None:
    """A layer's in 16 bits and those of the one before in fp32: beyond few logits, and not beyond many."""
    few, many = (_passing(replace(LLAMA, vocab_size=size)) for size in (128, LLAMA.vocab_size))
    count = count_parameters(LLAMA)
    layer = (count.total - 2 * count.embedding - 4096) // 32
    assert few[1] == few[0] + (2 + 4) * layer
    assert many[1] == many[0]


def _passing(model: Architecture) -> list[int]:
    """Bytes beside what is kept, where gradients are whole and where they are shared, of long sequences."""
    cut = (Strategy(degrees=Degrees(dp=8), zero_stage=1), Strategy(degrees=Degrees(dp=8), zero_stage=2))
    settings = (setting(model, strategy, sequence_length=16384, practice=TITAN) for strategy in cut)
    stages = (memory_of(one).stages[0] for one in settings)
    return [stage.logits + stage.workspace for stage in stages]


def test_a_pipelines_sums_are_scattered_through_a_copy_when_all_passes_are_over() -> None:
    """One short sequence, so that nothing else is as large: the first stage's embedding in fp32."""
    strategy = Strategy(degrees=Degrees(dp=8, pp=2), zero_stage=2, recompute=Recompute(mode="full"))
    stage = memory_of(setting(LLAMA, strategy, sequence_length=64, practice=TITAN)).stages[0]
    table = count_parameters(LLAMA).embedding
    assert stage.activations + stage.logits + stage.workspace == 4 * table


def test_the_account_agrees_with_the_trainers_own_estimate() -> None:
    """Tensor by tensor, each by its own formulas, of what one rank in eight keeps."""
    strategy = Strategy(degrees=Degrees(dp=8), zero_stage=3)
    wish = training(gpus=8, batch=8, length=1024, precision="bf16", strategy=strategy, architecture=LLAMA)
    estimate = estimate_memory(wish, LLAMA)
    one = setting(LLAMA, strategy, sequence_length=1024, batches=1, practice=practice_of("ogai"))
    stage = memory_of(one).stages[0]
    assert stage.activations == pytest.approx(estimate.activations, rel=0.01)
    assert stage.logits == estimate.logits
    assert (stage.gradients, stage.master_and_moments) == (estimate.gradients, estimate.optimizer)


def test_pipelining_of_torch_keeps_what_it_gave_and_will_get() -> None:
    strategy = Strategy(degrees=Degrees(pp=4))
    megatron, torch = (
        memory_of(
            setting(LLAMA, strategy, batches=6, practice=Practice(kept=Kept(stage_buffers=kept)))
        ).stages
        for kept in (False, True)
    )
    one, logits = 2 * 4096 * 4096, 2 * 4096 * LLAMA.vocab_size
    assert [stage.communication for stage in megatron] == [2 * one] * 4
    assert [stage.communication for stage in torch] == [
        *((6 + kept) * one for kept in (4, 3, 2)),
        one + 5 * logits,
    ]


@pytest.mark.parametrize(
    ("practice", "each"),
    [
        (Practice(fused_loss=True, kept=Kept(logits_in_place=True)), 2),
        (Practice(fused_loss=True), 2 + 2),
        (Practice(kept=Kept(logits_in_place=True)), 2 + 4),
        (Practice(), 2 + 3 * 4),
    ],
)
def test_a_loss_takes_what_its_kernels_need(practice: Practice, each: int) -> None:
    assert first(LLAMA, Strategy(), practice).logits == each * 4096 * LLAMA.vocab_size


def test_a_device_that_is_too_small_is_told_by_how_much() -> None:
    memory = memory_of(setting(LLAMA, Strategy()), 80 * 2**30)
    assert memory.missing == memory.peak - 80 * 2**30 > 0
    assert memory_of(setting(LLAMA, Strategy()), memory.peak).missing == 0
    assert memory_of(setting(LLAMA, Strategy())).missing == 0

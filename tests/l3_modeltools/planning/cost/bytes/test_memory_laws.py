"""What must hold of the account for any model and strategy."""

from typing import Literal

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from l3_modeltools.architectures import count_parameters, preset
from l3_modeltools.frameworks import PRACTICES
from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes import StepMemory, memory_of
from l3_modeltools.schemas import (
    Architecture,
    Degrees,
    Pipeline,
    Recompute,
    Strategy,
    balanced_offset,
    cut_faults,
)
from tests.support.planner import setting

LARGE = ("llama-3.1-8b", "llama-3.1-70b", "gpt-3-175b", "qwen2.5-7b", "deepseek-v3")
MODELS = st.sampled_from([preset(name) for name in LARGE])
HABITS = st.sampled_from([known.practice for known in PRACTICES.values()])
STAGES = st.integers(1, 9)
MODES: tuple[Literal["none", "selective", "full"], ...] = ("none", "selective", "full")


@st.composite
def settings(draw: st.DrawFn, pp: st.SearchStrategy[int] = STAGES) -> Setting:
    """Legal settings of published models, cut in every dimension."""
    model, stages = draw(MODELS), draw(pp)
    vp = draw(st.integers(1, 3)) if stages > 1 else 1
    tp = draw(st.sampled_from([1, 2, 4]))
    ep = draw(st.sampled_from([1, 4, 8])) if model.experts else 1
    strategy = Strategy(
        degrees=Degrees(
            dp=draw(st.sampled_from([8, 16, 64])),
            tp=tp,
            pp=stages,
            cp=draw(st.sampled_from([1, 2])),
            vp=vp,
            ep=ep,
            sequence_parallel=tp > 1 and draw(st.booleans()),
        ),
        pipeline=Pipeline(
            schedule="interleaved" if vp > 1 else draw(st.sampled_from(["1f1b", "zero_bubble"])),
            offset=balanced_offset(model.layers, stages, vp),
        ),
        zero_stage=draw(st.sampled_from([0, 1, 2, 3])),
        micro_batch_size=draw(st.integers(1, 3)),
        padded_vocab_size=-(-model.vocab_size // 8) * 8,
        recompute=Recompute(mode=draw(st.sampled_from(MODES))),
    )
    one = setting(model, strategy, batches=draw(st.integers(1, 20)), practice=draw(HABITS))
    assert not list(cut_faults(strategy, model, one.sequence_length))
    return one


def changed(one: Setting, strategy: Strategy) -> StepMemory:
    return memory_of(
        Setting(
            architecture=one.architecture,
            strategy=strategy,
            sequence_length=one.sequence_length,
            global_batch_size=one.global_batch_size,
            practice=one.practice,
        )
    )


@given(settings())
def test_terms_add_up_and_none_is_negative(one: Setting) -> None:
    memory = memory_of(one, 80 * 10**9)
    for stage in memory.stages:
        assert stage.total == sum(value for _, value in stage.named())
        assert min(value for _, value in stage.named()) >= 0
        assert stage.allocated <= stage.reserved <= stage.total <= memory.peak
    assert memory.stages[memory.fullest].total == memory.peak
    assert memory.missing == max(0, memory.peak - 80 * 10**9)


@given(settings())
def test_stages_hold_all_layers(one: Setting) -> None:
    stages = memory_of(one).stages
    assert len(stages) == one.strategy.degrees.pp
    assert sum(stage.layers for stage in stages) == one.architecture.layers
    assert all(0 < stage.in_flight <= one.microbatches for stage in stages)


@given(settings(st.just(1)))
def test_more_zero_is_never_more_memory(one: Setting) -> None:
    peaks = [changed(one, replace(one.strategy, zero_stage=zero)).peak for zero in (0, 1, 2, 3)]
    assert peaks == sorted(peaks, reverse=True)


@given(settings(st.integers(2, 9)))
def test_a_pipeline_adds_gradients_up_whole_whatever_zero_shards(one: Setting) -> None:
    none, first, second = (changed(one, replace(one.strategy, zero_stage=zero)) for zero in (0, 1, 2))
    assert first.peak <= none.peak
    assert all(a.gradients <= b.gradients for a, b in zip(first.stages, second.stages, strict=True))


@given(settings())
def test_more_recomputation_is_never_more_memory(one: Setting) -> None:
    peaks = [changed(one, replace(one.strategy, recompute=Recompute(mode=mode))).peak for mode in MODES]
    assert peaks == sorted(peaks, reverse=True)


@given(settings(), st.data())
def test_each_layer_more_that_is_recomputed_never_takes_more(one: Setting, data: st.DataObject) -> None:
    fewer = data.draw(layers_of(one))
    more = tuple(
        tuple(min(count, held + 1) for count, held in zip(*rows, strict=True))
        for rows in zip(one.stages, fewer, strict=True)
    )
    for mode in MODES[1:]:
        few, many = (
            changed(one, replace(one.strategy, recompute=Recompute(mode=mode, layers=layers)))
            for layers in (fewer, more)
        )
        kept = [
            [stage.activations + stage.workspace for stage in memory.stages if not stage.logits]
            for memory in (few, many)
        ]
        assert all(a >= b for a, b in zip(*kept, strict=True))


@given(settings())
def test_gathering_again_never_takes_more(one: Setting) -> None:
    mode: Literal["none", "selective"] = "selective" if one.strategy.recompute.mode == "selective" else "none"
    kept, again = (
        changed(one, replace(one.strategy, recompute=Recompute(mode=mode, gathering_layers=layers))).peak
        for layers in (None, one.stages)
    )
    assert again <= kept


@given(settings())
def test_full_recomputation_keeps_the_layers_inputs(one: Setting) -> None:
    """Of a stage between the ends, and of layers that predict one token."""
    model = replace(one.architecture, num_nextn_predict_layers=0)
    degrees = replace(one.strategy.degrees, pp=3, vp=1)
    offset = balanced_offset(model.layers, 3, 1)
    strategy = replace(
        one.strategy,
        degrees=degrees,
        pipeline=Pipeline(offset=offset),
        recompute=Recompute(mode="full"),
    )
    practice = replace(one.practice, kept=replace(one.practice.kept, stream="bf16"))
    middle = memory_of(
        setting(model, strategy, batches=2, practice=replace(practice, compute="bf16"))
    ).stages[1]
    tokens = (
        strategy.micro_batch_size * 4096 // degrees.cp // (degrees.tp if degrees.sequence_parallel else 1)
    )
    assert middle.activations == 2 * 2 * tokens * model.hidden_size * middle.layers


@given(MODELS, st.sampled_from([1, 2, 5]), st.sampled_from([1, 2]))
def test_uncut_stages_hold_all_parameters(model: Architecture, pp: int, vp: int) -> None:
    """A byte for each: those for multi-token prediction need the embedding once more where they are."""
    vp = vp if pp > 1 else 1
    strategy = Strategy(
        degrees=Degrees(pp=pp, vp=vp),
        pipeline=Pipeline(
            schedule="interleaved" if vp > 1 else "1f1b", offset=balanced_offset(model.layers, pp, vp)
        ),
    )
    weights = sum(stage.weights for stage in memory_of(setting(model, strategy)).stages)
    count = count_parameters(model)
    again = count.embedding if pp > 1 and (model.tie_word_embeddings or count.further) else 0
    assert weights == 2 * (count.total + count.further + again)


def layers_of(one: Setting) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    return st.tuples(*(st.tuples(*(st.integers(0, count) for count in row)) for row in one.stages))

"""Every printed formula, worked out with the printed values, gives the printed number."""

import ast

import pytest
from msgspec.structs import replace

from l0_infra import load_devices
from l3_modeltools import preset
from l3_modeltools.frameworks import practice_of
from l3_modeltools.planning import Site, setting_of
from l3_modeltools.planning.cost import Setting, time_of
from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.planning.explain import explain_stage, explain_step
from l3_modeltools.planning.timeline import timeline_of
from l3_modeltools.schemas import (
    Calibration,
    Degrees,
    Machine,
    Network,
    Pipeline,
    Recompute,
    Strategy,
    balanced_offset,
)
from tests.support.formulas import FUNCTIONS, every, worked_out
from tests.support.planner import setting
from tests.support.strategies import legal_strategies

DEVICE = next(device for device in load_devices() if device.name == "h100-sxm-80")
SITE = Site(
    machine=Machine(name="pod", device=DEVICE.name, nodes=64, network=Network(bytes_per_s_per_device=5e10)),
    device=DEVICE,
    calibration=Calibration(name="test"),
)
LLAMA, V3 = preset("llama-3.1-70b"), preset("deepseek-v3")

CASES = {
    "alone": setting(preset("llama-3.2-1b"), batches=4),
    "sharded": setting(
        preset("llama-3.1-8b"),
        Strategy(degrees=Degrees(dp=64), zero_stage=3, recompute=Recompute(mode="full")),
        batches=2,
        practice=practice_of("torchtitan"),
    ),
    "pipeline": setting(
        LLAMA,
        Strategy(
            degrees=Degrees(dp=4, tp=8, pp=4, vp=2, sequence_parallel=True),
            pipeline=Pipeline(schedule="interleaved", offset=balanced_offset(LLAMA.layers, 4, 2)),
            recompute=Recompute(mode="selective"),
            zero_stage=1,
        ),
        batches=16,
        practice=replace(practice_of("megatron"), overlap_tp=True),
    ),
    "experts": setting(
        V3,
        Strategy(
            degrees=Degrees(dp=64, pp=8, ep=64),
            pipeline=Pipeline(schedule="zero_bubble", offset=balanced_offset(V3.layers, 8, 1)),
            zero_stage=1,
        ),
        batches=16,
        practice=replace(practice_of("megatron"), compute="fp8"),
    ),
    "stages sharded": setting(
        LLAMA,
        Strategy(
            degrees=Degrees(dp=8, tp=4, pp=4, cp=2),
            pipeline=Pipeline(offset=((-1, 1, 1, -1),)),
            recompute=Recompute(mode="full", layers=((5, 3, 0, 1),)),
            zero_stage=3,
        ),
        batches=8,
        practice=practice_of("torchtitan"),
    ),
    "attention that writes its scores": setting(
        preset("gpt-3-175b"),
        Strategy(degrees=Degrees(dp=2, tp=8, pp=8), pipeline=Pipeline(offset=balanced_offset(96, 8, 1))),
        batches=8,
        practice=replace(practice_of("megatron"), flash_attention=False, fused_elementwise=False),
    ),
    "recomputed by parts": setting(
        V3,
        Strategy(
            degrees=Degrees(dp=16, tp=2, pp=8, ep=16, sequence_parallel=True),
            pipeline=Pipeline(offset=balanced_offset(V3.layers, 8, 1)),
            recompute=Recompute(
                mode="full",
                layers=((2,) * 8,),
                selective_layers=((3,) * 8,),
                gathering_layers=((4,) * 8,),
            ),
            zero_stage=2,
        ),
        batches=8,
        practice=practice_of("mindformers"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_formulas_give_the_numbers_that_they_stand_beside(name: str) -> None:
    found = CASES[name]
    derivations = [explain_step(found, SITE)]
    derivations += [explain_stage(found, stage) for stage in range(found.strategy.degrees.pp)]
    looked = 0
    for derivation in derivations:
        for one in every(derivation):
            assert worked_out(one) == pytest.approx(one.value, rel=1e-9, abs=1e-15), one.name
            looked += 1
    assert looked > 30


@pytest.mark.parametrize("name", CASES)
def test_each_symbol_is_used_and_each_name_is_one_number(name: str) -> None:
    found = CASES[name]
    for whole in (explain_step(found, SITE), explain_stage(found, 0)):
        values: dict[str, float] = {}
        for one in every(whole):
            symbols = [given.symbol for given in one.inputs] + [part.name for part in one.parts]
            assert len(set(symbols)) == len(symbols), one.name
            names = {node.id for node in ast.walk(ast.parse(one.formula)) if isinstance(node, ast.Name)}
            assert names - FUNCTIONS == set(symbols) or one.value == 0, one.name
            assert values.setdefault(one.name, one.value) == one.value, one.name


@pytest.mark.parametrize("name", CASES)
def test_the_whole_is_what_the_planner_says(name: str) -> None:
    found: Setting = CASES[name]
    step = time_of(found, SITE.machine, SITE.device, SITE.calibration)
    told = explain_step(found, SITE)
    assert told.value == step.total
    assert {part.name: part.value for part in told.parts} == dict(step.named())
    stages = memory_of(found).stages
    for stage, memory in enumerate(stages):
        assert {part.name: part.value for part in explain_stage(found, stage).parts} == dict(memory.named())


PRACTICES = ("megatron", "torchtitan", "deepspeed", "mindformers")


def test_formulas_of_any_strategy_give_their_numbers_and_its_turns_end() -> None:
    for number, strategy in enumerate(legal_strategies(60, seed=7)):
        practice = practice_of(PRACTICES[number % len(PRACTICES)])
        found = setting_of(strategy, practice)
        assert found is not None
        last = strategy.degrees.pp - 1
        for whole in (explain_step(found, SITE), explain_stage(found, 0), explain_stage(found, last)):
            for one in every(whole):
                assert worked_out(one) == pytest.approx(one.value, rel=1e-9, abs=1e-15), (number, one.name)
        turns = timeline_of(found, SITE)
        assert {len(events) for events in turns.ranks} <= {
            found.microbatches * strategy.degrees.vp * kinds for kinds in (2, 3)
        }


@pytest.mark.parametrize("name", CASES)
def test_a_name_is_of_seconds_or_of_bytes(name: str) -> None:
    """So that one word asks for one number."""
    found = CASES[name]
    seconds = {one.name for one in every(explain_step(found, SITE))}
    for stage in range(found.strategy.degrees.pp):
        assert not seconds & {one.name for one in every(explain_stage(found, stage))}


@pytest.mark.parametrize("name", CASES)
def test_what_the_slowest_stage_waits_for_is_every_other_stage(name: str) -> None:
    found = CASES[name]
    bubble = explain_step(found, SITE).find("bubble")
    assert bubble is not None
    counts = {one.symbol: one.value for one in bubble.inputs}
    assert sum(counts[f"n_{part.name.removeprefix('through_')}"] for part in bubble.parts) == (
        found.strategy.degrees.pp - 1
    )
    assert all(part.find("dense_layer") or part.find("sparse_layer") for part in bubble.parts)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("sharded", {"weights_under_way", "widest"}),
        ("pipeline", {"between_stages", "stream", "widest"}),
        ("stages sharded", {"weights_under_way", "between_stages", "stream", "widest"}),
    ],
)
def test_buffers_are_derived_by_what_is_in_them(name: str, parts: set[str]) -> None:
    told = explain_stage(CASES[name], 0)
    found = [part for term in ("communication", "workspace") if (part := told.find(term))]
    assert parts <= {one.name for part in found for one in every(part)}


def test_what_is_made_again_is_derived_from_forward_passes() -> None:
    step = explain_step(CASES["recomputed by parts"], SITE)
    full, selective = step.find("sparse_full_again"), step.find("sparse_selective_again")
    assert full is not None and selective is not None
    assert {one.symbol for one in full.inputs} > {one.symbol for one in selective.inputs}


def test_a_part_is_found_however_deep() -> None:
    told = explain_step(CASES["pipeline"], SITE)
    product = told.find("dense_p1_forward")
    assert product is not None and product.unit == "s"
    assert {one.symbol: one.value for one in product.inputs}["K"] == 8192
    assert told.find("nothing") is None

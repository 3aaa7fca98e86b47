"""Two accounts of a step's memory that know nothing of each other agree: of tensors that are made, and of formulas."""

from dataclasses import replace

import pytest
from msgspec.structs import replace as with_fields

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.schemas import Degrees, Pipeline, Recompute, Strategy
from l3_modeltools.training.dryrun import TensorBytes, bear_witness, compare, dry_run, witness_of
from l3_modeltools.training.dryrun.compose import composed, summed_up
from l3_modeltools.training.dryrun.measure import measure_each, measure_whole
from tests.support.dry_runs import DryRunCase, dry_run_cases

SCHEDULES = (
    Strategy(degrees=Degrees(dp=2, pp=2), zero_stage=2),
    Strategy(degrees=Degrees(pp=2, vp=2), pipeline=Pipeline(schedule="interleaved")),
    Strategy(degrees=Degrees(pp=4), pipeline=Pipeline(schedule="zero_bubble")),
    Strategy(degrees=Degrees(dp=2), zero_stage=3, recompute=Recompute(mode="full")),
)
CASES = {case.name: case for case in dry_run_cases()}


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_both_accounts_agree_on_every_stage(case: DryRunCase) -> None:
    setting = case.setting()
    run, analytic = dry_run(setting), memory_of(setting).stages
    assert len(run.stages) == setting.strategy.degrees.pp
    for stage, formulas in zip(run.stages, analytic, strict=True):
        assert stage.peak.total == pytest.approx(formulas.allocated, rel=0.05)
        assert stage.layers == formulas.layers
        if setting.strategy.pipeline.schedule != "zero_bubble":  # of which formulas know the bound
            assert stage.in_flight == pytest.approx(formulas.in_flight)


def test_what_lasts_is_the_same_to_the_byte_but_for_rounding() -> None:
    setting = CASES["Llama-3.1-405B on 16,384 ranks"].setting()
    for stage, formulas in zip(dry_run(setting).stages, memory_of(setting).stages, strict=True):
        assert stage.peak.weights == formulas.weights
        assert stage.peak.gradients == formulas.gradients
        assert stage.peak.optimizer == pytest.approx(formulas.master_and_moments, rel=1e-6)


def test_a_larger_world_takes_no_more_work() -> None:
    few, many = (dry_run(_spread(copies)) for copies in (8, 2048))
    assert (few.world_size, many.world_size) == (64, 16384)
    for small, large in zip(few.stages, many.stages, strict=True):
        assert small.operators == large.operators
        assert [one.calls for one in small.traffic] == [one.calls for one in large.traffic]
        assert small.flops == large.flops
        assert small.peak.weights == large.peak.weights
        assert small.peak.optimizer > large.peak.optimizer


def _spread(copies: int) -> Setting:
    case = CASES["Llama-3.2-1B, gradients shared"].setting()
    degrees = Degrees(dp=copies, tp=2, pp=4, sequence_parallel=True)
    return replace(
        case,
        strategy=with_fields(case.strategy, degrees=degrees, zero_stage=1),
        global_batch_size=8 * copies,
    )


def test_a_difference_is_told_by_stage_and_term() -> None:
    setting = CASES["Llama-3.2-1B, gradients shared"].setting()
    run, analytic = dry_run(setting), memory_of(setting).stages
    assert compare(run, analytic) == ()
    (stage,) = run.stages
    more = TensorBytes(activations=analytic[0].allocated // 10)
    doubted = replace(run, stages=(replace(stage, peak=stage.peak + more),))
    found = compare(doubted, analytic)
    assert [(one.stage, one.term) for one in found] == [(0, "total"), (0, "activations")]
    assert found[1].dry - found[1].analytic >= more.activations
    assert found[1].share == pytest.approx(0.1, abs=0.01)


def test_what_no_tensor_takes_is_needed_too() -> None:
    setting = CASES["Llama-3.2-1B, gradients shared"].setting()
    witness = witness_of(setting, device_memory_bytes=40 * 2**30)
    (stage,), (formulas,) = witness.run.stages, witness.analytic
    assert witness.needed == (stage.peak.total + formulas.fragmentation + formulas.context,)
    assert witness.missing == 0
    assert witness_of(setting, device_memory_bytes=2**30).missing == witness.needed[0] - 2**30


def test_a_strategy_without_a_workload_is_refused() -> None:
    case = CASES["Llama-3.2-1B, gradients shared"].setting()
    with pytest.raises(UnsatisfiableError, match="workload"):
        bear_witness(case.strategy, case.practice)


def test_a_degree_that_cannot_be_built_is_named() -> None:
    setting = CASES["Llama-3.2-1B, gradients shared"].setting()
    for degrees, word in ((Degrees(tp=3), r"degrees\.tp"), (Degrees(pp=32), r"degrees\.pp")):
        illegal = replace(setting, strategy=with_fields(setting.strategy, degrees=degrees))
        with pytest.raises(UnsatisfiableError, match=word):
            dry_run(illegal)


def test_mindspore_is_refused_for_what_it_lacks() -> None:
    setting = CASES["Llama-3.2-1B, gradients shared"].setting()
    with pytest.raises(UnsatisfiableError, match="MindSpore") as refusal:
        witness_of(setting, engine="mindspore")
    assert "CANN" in str(refusal.value)


def test_each_pass_made_once_gives_what_all_of_them_give() -> None:
    """A step is put together from its passes; all of them made, one after the other, take and do as much."""
    setting = CASES["Llama-3.2-1B, gradients shared"].setting()
    architecture = with_fields(setting.architecture, num_hidden_layers=8)
    for strategy in SCHEDULES:
        one = replace(setting, architecture=architecture, strategy=strategy, global_batch_size=8)
        for stage in range(strategy.degrees.pp):
            assert composed(measure_each(one, stage), one, stage) == summed_up(
                measure_whole(one, stage), one, stage
            )

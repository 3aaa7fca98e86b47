import pytest

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.frameworks import runnable_degrees
from l3_modeltools.frameworks.translate import TABLES, export_strategy
from l3_modeltools.schemas import Strategy
from tests.support.round_trips import differences, there_and_back
from tests.support.strategies import legal_strategies

COUNT = 500


@pytest.mark.parametrize("framework", TABLES)
def test_a_strategy_comes_back_or_what_is_lost_is_named(framework: str) -> None:
    ran = whole = 0
    for strategy in legal_strategies(COUNT, seed=7):
        try:
            before, after, lost = there_and_back(strategy, framework)
        except UnsatisfiableError as refusal:
            assert refusal.where.startswith("degrees.")
            assert refusal.found.startswith(f"{refusal.where.removeprefix('degrees.')} ")
            continue
        ran += 1
        whole += before == after
        found = {path if not path.startswith("workload") else "workload" for path in lost}
        assert differences(before, after) == found
    assert ran > COUNT // 20
    assert whole or framework == "deepspeed"


def test_graph_mode_of_mindformers_loses_least() -> None:
    possible = {"zero_stage", "pipeline.schedule"}
    for strategy in legal_strategies(COUNT, seed=3):
        _, _, lost = there_and_back(strategy, "mindformers")
        assert lost <= possible
        assert ("zero_stage" in lost) == (strategy.zero_stage == 3)


@pytest.mark.parametrize("framework", TABLES)
def test_degrees_always_carry_over(framework: str) -> None:
    """All but virtual stages, and cutting the sequence where the framework has no say in it."""
    for strategy in legal_strategies(COUNT, seed=11):
        try:
            _, _, lost = there_and_back(strategy, framework)
        except UnsatisfiableError:
            continue
        assert not lost & {f"degrees.{name}" for name in ("dp", "tp", "pp", "cp", "ep", "vp")} - {
            "degrees.vp"
        }


def test_a_framework_that_is_not_known_is_answered_with_those_that_are() -> None:
    with pytest.raises(UnsatisfiableError, match="found `megatorn`; expected one of `megatron`"):
        export_strategy(Strategy(), "megatorn")
    with pytest.raises(UnsatisfiableError, match="found `megatorn`"):
        runnable_degrees("megatorn")

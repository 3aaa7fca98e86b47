"""A drill is drawn by its seed, covers every kind before it repeats one, and stays within the run's budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.resilience.drill import DRILL_KINDS, Trouble, plan_drill, require_budget, restarts_left
from l3_modeltools.runs import Mark
from l3_modeltools.schemas import Resilience

troubles = st.lists(st.sampled_from(sorted(DRILL_KINDS)), min_size=1, unique=True)


@given(troubles, st.integers(0, 9), st.integers(1, 8), st.integers(1, 40))
def test_a_plan_is_a_function_of_its_arguments_and_fair(
    chosen: list[Trouble], seed: int, ranks: int, count: int
) -> None:
    plan, again = (plan_drill(chosen, seed=seed, ranks=ranks, count=count) for _ in range(2))
    assert plan == again
    drawn = [blow.trouble for blow in plan.blows]
    assert len(drawn) == count
    assert max(map(drawn.count, chosen)) - min(map(drawn.count, chosen)) <= 1
    for blow in plan.blows:
        assert blow.order.rank is None if blow.kind.ranks == "all" else blow.order.rank in range(ranks)
        assert not list(blow.lasting(0.5).faults())


def test_without_a_count_each_kind_comes_once() -> None:
    plan = plan_drill(["kill", "nan", "disk"], seed=1, ranks=2)
    assert sorted(blow.trouble for blow in plan.blows) == ["disk", "kill", "nan"]
    assert plan.restarts == 1


def test_a_person_reads_who_does_what() -> None:
    (blow,) = plan_drill(["spike"], seed=1, ranks=2).blows
    assert blow.describe() == "every rank gets garbage in the place of one batch"
    said = {plan_drill(["kill"], seed=seed, ranks=2).blows[0].describe() for seed in range(40)}
    assert "rank 1 ends itself by SIGKILL, while it saves" in said and len(said) == 6


def test_a_drill_beyond_the_budget_is_refused() -> None:
    plan = plan_drill(["kill"], seed=1, ranks=2, count=4)
    require_budget(plan, 4)
    with pytest.raises(UnsatisfiableError, match="4 faults that restart the ranks, and 3 restarts left"):
        require_budget(plan, 3)


def test_restarts_within_the_window_are_spent() -> None:
    marks = [
        Mark(at=1.0, mark="supervised"),
        *(Mark(at=at, mark="spawned", fault_id=1) for at in (5.0, 90.0)),
    ]
    policy = Resilience(max_restarts=3, window_s=50.0)
    assert [restarts_left(marks, policy, now=now) for now in (50.0, 100.0)] == [1, 2]

"""What is done about a fault: the table of `decide`, line by line, and that it always comes to an end."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.resilience.decide import Decision, decide
from l3_modeltools.schemas import (
    Evidence,
    FaultAction,
    FaultClass,
    Resilience,
    Section,
    Suspect,
    TrainingFault,
)

NOW = 1_790_000_000.0
CLASSES: tuple[FaultClass, ...] = ("crash", "killed", "hang", "data_stall", "device_lost", "unknown")


def fault(
    fault_class: FaultClass = "crash",
    step: int | None = 120,
    *,
    advised: FaultAction = "restart_worker",
    taken: FaultAction | None = None,
    section: Section | None = "forward_backward",
    ago_s: float = 0.0,
    device: str | None = None,
    resumed: bool = False,
) -> TrainingFault:
    return TrainingFault(
        run="tiny-1",
        fault_class=fault_class,
        detected_at=NOW - ago_s,
        resumed_at=NOW - ago_s if resumed else None,
        step=step,
        section=section,
        suspects=(Suspect(rank=1, node="n1", device=device),),
        evidence=(Evidence(source="exit", text="exit code 1"),),
        advised=advised,
        taken=taken,
        summary="something happened",
    )


def answered(fault_class: FaultClass = "crash", step: int | None = 120, **more: object) -> TrainingFault:
    return msgspec.structs.replace(
        fault(fault_class, step, ago_s=60.0), **{"taken": "restart_worker", **more}
    )


def decided(
    now: TrainingFault,
    *earlier: TrainingFault,
    restarts: Sequence[float] = (),
    step_done: int | None = None,
    policy: Resilience | None = None,
) -> Decision:
    return decide(
        now,
        earlier=earlier,
        restarts=restarts,
        step_done=step_done,
        policy=policy or Resilience(backoff_s=2.0),
        now=NOW,
    )


@pytest.mark.parametrize("fault_class", [*CLASSES, "not_finite", "spike", "checkpoint_damaged"])
def test_what_is_advised_to_give_up_is_given_up_with_its_own_words(fault_class: FaultClass) -> None:
    decision = decided(fault(fault_class, advised="give_up"))
    assert (decision.action, decision.exit_code) == ("give_up", 6)
    assert decision.reason == "something happened"


@pytest.mark.parametrize("fault_class", ["straggler", "clock_jump"])
def test_what_stops_nobody_is_told_only(fault_class: FaultClass) -> None:
    assert decided(fault(fault_class, advised="replace_node"), restarts=[NOW] * 99).action == "none"


@pytest.mark.parametrize(
    ("fault_class", "advised"),
    [
        ("not_finite", "retry"),
        ("not_finite", "skip_batches"),
        ("spike", "none"),
        ("spike", "skip_batches"),
        ("data_stall", "none"),
        ("storage_full", "free_space"),
        ("storage_full", "pause"),
        ("storage_slow", "none"),
        ("checkpoint_damaged", "none"),
    ],
)
def test_what_the_ranks_mend_themselves_needs_nothing(fault_class: FaultClass, advised: FaultAction) -> None:
    decision = decided(fault(fault_class, advised=advised), restarts=[NOW] * 99)
    assert (decision.action, decision.wait_s, decision.exit_code) == (advised, 0.0, None)


@pytest.mark.parametrize("fault_class", ["crash", "killed", "hang", "data_stall", "unknown"])
def test_workers_are_restarted_at_once_after_a_new_step(fault_class: FaultClass) -> None:
    decision = decided(fault(fault_class), answered(fault_class, 80), step_done=119)
    assert (decision.action, decision.wait_s, decision.exit_code) == ("restart_worker", 0.0, None)


@pytest.mark.parametrize("fault_class", ["crash", "killed", "hang", "unknown"])
def test_what_stops_a_rank_restarts_it_whatever_is_advised(fault_class: FaultClass) -> None:
    assert decided(fault(fault_class, advised="none")).action == "restart_worker"


def test_the_state_goes_back_where_the_loop_said_so() -> None:
    decision = decided(fault("spike", advised="roll_back"))
    assert (decision.action, decision.exit_code) == ("roll_back", None)


def test_a_lost_device_restarts_the_job_once() -> None:
    lost = fault("device_lost", device="nvidia:3")
    first = decided(lost)
    assert (first.action, first.exit_code) == ("restart_job", 75)
    again = decided(lost, answered("device_lost", 90, taken="restart_job"), step_done=None)
    assert (again.action, again.exit_code) == ("give_up", 6)
    assert "lost again" in again.reason


def test_the_same_device_again_is_given_up_even_after_new_steps() -> None:
    place = (Suspect(rank=5, node="n1", device="nvidia:3"),)
    before = answered("device_lost", 90, taken="restart_job", suspects=place)
    assert decided(fault("device_lost", device="nvidia:3"), before, step_done=119).action == "give_up"
    assert decided(fault("device_lost", device="nvidia:0"), before, step_done=119).action == "restart_job"
    long_ago = msgspec.structs.replace(before, detected_at=NOW - 90_000)
    assert decided(fault("device_lost", device="nvidia:3"), long_ago, step_done=119).action == "restart_job"


@pytest.mark.parametrize("advised", ["restart_job", "replace_node"])
def test_a_fresh_job_where_that_is_advised(advised: FaultAction) -> None:
    assert decided(fault("crash", advised=advised)).exit_code == 75


def test_ranks_that_cannot_be_set_up_twice_in_a_row_get_a_fresh_job() -> None:
    now = fault("crash", 0, section="setup")
    assert decided(now).action == "restart_worker"
    assert decided(now, answered("crash", 120)).action == "restart_worker"
    decision = decided(now, answered("hang", 0, section="setup"))
    assert (decision.action, decision.exit_code) == ("restart_job", 75)
    assert decided(now, answered("hang", 0, section="setup"), step_done=119).action == "restart_worker"


def test_the_same_fault_at_the_same_step_twice_is_given_up() -> None:
    decision = decided(fault("killed"), answered("killed"), step_done=119)
    assert (decision.action, decision.exit_code) == ("give_up", 6)
    assert decision.reason == "step 120 ended in killed twice in a row, so it would again"


@pytest.mark.parametrize(
    ("before", "step_done"),
    [
        pytest.param(answered("hang"), None, id="another class"),
        pytest.param(answered("killed", 119), None, id="another step"),
        pytest.param(answered("killed"), 120, id="the step was done between"),
        pytest.param(answered("killed", taken="none"), None, id="nothing was done about it"),
    ],
)
def test_what_is_not_the_same_twice_is_tried_again(before: TrainingFault, step_done: int | None) -> None:
    assert decided(fault("killed"), before, step_done=step_done).action == "restart_worker"


def test_a_save_that_fails_after_the_same_step_twice_is_given_up() -> None:
    """Its step was done before, so that it is no new one."""
    now = fault("crash", 120, section="save")
    assert decided(now, answered("crash", 120, section="save"), step_done=120).action == "give_up"
    assert decided(now, answered("crash", 120, section="save"), step_done=121).action == "restart_worker"


def test_waits_double_while_nothing_new_is_done() -> None:
    row = [answered("hang", 120)] + [answered("hang", 110 - back) for back in range(8)]
    waits = [decided(fault("crash"), *row[:count], step_done=None).wait_s for count in range(9)]
    assert waits == [0.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0]
    many = [answered("hang", step) for step in range(3000, 2900, -1)]
    patient = Resilience(max_restarts=10_000, backoff_s=2.0)
    assert decided(fault("crash", 9), *many, policy=patient).wait_s == 600.0


def test_a_row_ends_where_a_new_step_was_done() -> None:
    earlier = (answered("crash", 50), answered("hang", 119), answered("killed", 119))
    assert decided(fault("crash", 119), *earlier, step_done=118).wait_s == 4.0
    in_setup = (answered("crash", 50), answered("crash", 0, section="setup"))
    assert decided(fault("crash", 119), *in_setup, answered("hang", 119)).wait_s == 2.0


def test_a_step_that_is_done_again_is_not_new() -> None:
    """The state went back to 90, and 119 steps were done before."""
    earlier = (answered("crash", 120), answered("killed", 101))
    assert decided(fault("hang", 112), *earlier, step_done=111).wait_s == 4.0


def test_restarts_within_the_window_spend_the_budget() -> None:
    policy = Resilience(max_restarts=3, window_s=3600.0)
    recent = [NOW - 10.0, NOW - 1000.0, NOW - 3599.0]
    decision = decided(fault(), restarts=recent, step_done=119, policy=policy)
    assert (decision.action, decision.exit_code) == ("give_up", 6)
    assert decision.reason == "the budget of 3 restarts within 1h is spent"
    old = [NOW - 10.0, NOW - 1000.0, NOW - 3601.0]
    assert decided(fault(), restarts=old, step_done=119, policy=policy).action == "restart_worker"


def test_without_a_budget_nothing_is_tried() -> None:
    assert decided(fault(), policy=Resilience(max_restarts=0)).action == "give_up"


FAULTS = st.builds(
    lambda kind, step, advised, section: fault(kind, step, advised=advised, section=section),
    st.sampled_from([*CLASSES, "spike"]),
    st.integers(1, 3),
    st.sampled_from(["restart_worker", "restart_job", "roll_back"]),
    st.sampled_from(["forward_backward", "save", "setup"]),
)


@given(
    stream=st.lists(st.tuples(FAULTS, st.floats(0.0, 500.0), st.booleans()), min_size=40, max_size=40),
    policy=st.builds(
        Resilience,
        max_restarts=st.integers(0, 8),
        window_s=st.floats(1.0, 2000.0),
        backoff_s=st.floats(0.0, 10.0),
    ),
    progress=st.booleans(),
)
def test_never_more_restarts_than_the_budget_and_without_new_steps_an_end(
    stream: list[tuple[TrainingFault, float, bool]], policy: Resilience, progress: bool
) -> None:
    now, done, earlier, restarts = NOW, 100, list[TrainingFault](), list[float]()
    for number, (kind, after_s, moves) in enumerate(stream, 1):
        now += after_s
        moved = progress and moves
        done += 5 if moved else 0
        step = done + (kind.step or 0)
        one = msgspec.structs.replace(kind, fault_id=number, step=step, detected_at=now)
        decision = decide(
            one,
            earlier=earlier,
            restarts=restarts,
            step_done=step - 1 if moved else None,
            policy=policy,
            now=now,
        )
        if decision.action == "give_up":
            return
        earlier.append(msgspec.structs.replace(one, taken=decision.action))
        now += decision.wait_s
        restarts.append(now)
        within = [at for at in restarts if at > now - policy.window_s]
        assert len(within) <= policy.max_restarts
    assert progress, "faults without new steps went on for ever"


def test_the_reason_says_what_comes_next() -> None:
    assert decided(fault()).reason == "all ranks start again"
    again = decided(fault(step=121), answered(step=120), restarts=(NOW - 60.0,), step_done=None)
    assert again.reason == (
        f"all ranks start again, after {again.wait_s:.3g} s: no new step was done since the last restart"
    )

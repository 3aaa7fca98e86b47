"""What a run made of a blow is told from its files: noticed as what, after how long, what was done again."""

import msgspec
import pytest

from l3_modeltools.resilience.drill import DrillReport, DrillResult, Fired, plan_drill, summarize_drill
from l3_modeltools.resilience.drill.judge import Seen, judge_blow
from l3_modeltools.runs import Metric
from l3_modeltools.schemas import Evidence, TrainingFault

(KILL,) = plan_drill(["kill"], seed=3, ranks=2).blows
FORWARD = msgspec.structs.replace(KILL.order, where="forward")
BLOW = type(KILL)(trouble="kill", order=FORWARD)
FIRED = Fired(id=4, rank=1, step=12, at=112.5)


def told(*steps: tuple[int, float]) -> tuple[Metric, ...]:
    return tuple(Metric(step=step, at=at) for step, at in steps)


def fault(kind: str, *, number: int = 1, at: float = 114.0) -> TrainingFault:
    return TrainingFault(
        fault_id=number,
        run="r",
        fault_class=kind,  # type: ignore[arg-type]
        detected_at=at,
        evidence=(Evidence(source="exit", text="it ended"),),
        advised="restart_worker",
        taken="restart_worker",
    )


def judged(faults: tuple[TrainingFault, ...], steps: tuple[Metric, ...], blow: object = BLOW) -> DrillResult:
    return judge_blow(blow, 4, Seen(fired=(FIRED,), faults=faults, told=steps))  # type: ignore[arg-type]


def test_a_killed_rank_that_was_noticed_and_cost_one_step() -> None:
    steps = told((10, 110.0), (11, 112.0), (11, 116.0), (12, 117.0), (13, 118.0))
    result = judged((fault("killed"),), steps)
    assert (result.verdict, result.noticed_as, result.noticed_after_s) == ("right", "killed", 1.5)
    assert (result.step, result.resumed_after_s, result.redone_steps) == (12, 4.5, 1)
    assert result.taken == "restart_worker"


def test_what_lasts_is_over_before_a_run_can_go_on() -> None:
    steps = told((11, 112.0), (12, 113.0), (13, 117.0))
    seen = Seen(fired=(FIRED,), faults=(fault("killed"),), told=steps, lasts_until=115.0)
    assert judge_blow(BLOW, 4, seen).resumed_after_s == 4.5


def test_a_step_that_was_told_late_is_no_new_one() -> None:
    result = judged((fault("killed"),), told((10, 111.0), (11, 112.6), (12, 117.0)))
    assert (result.resumed_after_s, result.redone_steps) == (4.5, 0)


def test_the_step_of_a_save_is_done_before_it_saves() -> None:
    saving = type(KILL)(trouble="kill", order=msgspec.structs.replace(FORWARD, where="save"))
    result = judged((fault("killed"),), told((11, 112.0), (12, 112.6), (13, 117.0)), saving)
    assert result.resumed_after_s == 4.5


@pytest.mark.parametrize(
    ("faults", "verdict", "noticed_as"),
    [
        ((), "missed", None),
        ((fault("hang"),), "wrong", "hang"),
        ((fault("hang"), fault("killed", number=2)), "right", "killed"),
    ],
)
def test_verdicts(faults: tuple[TrainingFault, ...], verdict: str, noticed_as: str | None) -> None:
    result = judged(faults, told((12, 117.0)))
    assert (result.verdict, result.noticed_as) == (verdict, noticed_as)


def test_what_never_happened_is_said() -> None:
    result = judge_blow(BLOW, 4, Seen(fired=(), faults=(fault("killed"),), told=()))
    assert (result.verdict, result.step, result.noticed_as) == ("not_fired", None, None)


def test_a_drill_holds_when_all_was_noticed_rightly_and_the_run_went_on() -> None:
    right = judged((fault("killed"),), told((11, 112.0), (11, 116.0), (12, 117.0)))
    report = DrillReport(run="r", seed=1, results=(right, right), planned=2)
    assert report.holds
    assert summarize_drill(report) == "2 of 2 noticed as what they were, 2 steps done again"
    stuck = judged((fault("killed"),), told((11, 112.0)))
    assert not DrillReport(run="r", seed=1, results=(right, stuck), planned=2).holds
    wrong, missed = judged((fault("hang"),), told((12, 117.0))), judged((), told((12, 117.0)))
    bad = DrillReport(run="r", seed=1, results=(right, wrong, missed), planned=4)
    assert not bad.holds
    said = "1 of 4 noticed as what they were, 1 misjudged, 1 not noticed, 1 not done, 1 step done again"
    assert summarize_drill(bad) == said

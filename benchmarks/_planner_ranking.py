"""Whether the planner would have picked what turned out fastest of the configurations measured at one scale."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from _score import Score

from l3_modeltools.planning.calibrate import Scored, read_runs, score_runs
from l3_modeltools.planning.cost import load_calibration
from ogai.flows.strategy.sheets import sheets_for

NEAR = 0.03
"""How much slower than the fastest a pick may be to count as right."""


def ranking_scores(data: Path) -> Iterator[Score]:
    """Of each data set with choices, what following the planner costs: measured seconds of its pick over the least."""
    runs = [run for run in read_runs(data / "runs.csv") if run.step_s is not None]
    scored = score_runs(runs, sheets_for(run.device for run in runs), load_calibration())
    groups: dict[tuple[object, ...], list[Scored]] = {}
    for one in scored:
        if one.step_s is not None:
            groups.setdefault(_scale(one), []).append(one)
    choices = [group for group in groups.values() if len(group) > 1]
    for dataset in dict.fromkeys(group[0].run.dataset for group in choices):
        lost = [regret(group) for group in choices if group[0].run.dataset == dataset]
        right = sum(one <= NEAR for one in lost)
        first = sum(one == 0 for one in lost)
        yield Score(dataset, lost, f"{first} of {len(lost)} picked the fastest, {right} within {NEAR:.0%}")


def _scale(one: Scored) -> tuple[object, ...]:
    """Runs that do the same work on the same devices in the same format."""
    run, setting = one.run, one.run.settings[0]
    work = (run.model, setting.global_batch_size, setting.sequence_length)
    return run.dataset, run.device, run.devices, setting.practice.compute, setting.architecture, *work


def regret(group: Sequence[Scored]) -> float:
    """Measured seconds of what is foretold to be fastest, over those of the fastest, less 1."""
    pick = min(group, key=lambda one: (one.step_s or 0.0, one.run.line))
    least = min(one.run.step_s or 0.0 for one in group)
    return (pick.run.step_s or 0.0) / least - 1

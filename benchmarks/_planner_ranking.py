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
    """What following the planner costs: of runs on as many devices by tokens/s, and of those of one global batch."""
    runs = [run for run in read_runs(data / "runs.csv") if run.step_s is not None]
    scored = score_runs(runs, sheets_for(run.device for run in runs), load_calibration())
    for name, scale in SCALES.items():
        groups: dict[tuple[object, ...], list[Scored]] = {}
        for one in scored:
            if one.step_s is not None:
                groups.setdefault(scale(one), []).append(one)
        choices = [group for group in groups.values() if len(group) > 1]
        for dataset in dict.fromkeys(group[0].run.dataset for group in choices):
            lost = [regret(group) for group in choices if group[0].run.dataset == dataset]
            right, first = sum(one <= NEAR for one in lost), sum(one == 0 for one in lost)
            told = f"{first} of {len(lost)} picked the fastest, {right} within {NEAR:.0%}"
            yield Score(f"{dataset}, {name}", lost, told)


def _same_devices(one: Scored) -> tuple[object, ...]:
    """Runs that train the same model on the same devices in the same format: the scale that a paper tells."""
    run, setting = one.run, one.run.settings[0]
    work = (run.model, setting.architecture, setting.sequence_length, setting.practice.compute)
    return run.dataset, run.device, run.devices, *work


def _same_batch(one: Scored) -> tuple[object, ...]:
    """Those of them whose steps do the same work: what a search chooses between."""
    return *_same_devices(one), one.run.settings[0].global_batch_size


SCALES = {"same devices": _same_devices, "same global batch": _same_batch}


def regret(group: Sequence[Scored]) -> float:
    """Measured tokens/s of the fastest over those of what is foretold to be fastest, less 1."""
    pick = min(group, key=lambda one: (_each(one, one.step_s), one.run.line))
    least = min(_each(one, one.run.step_s) for one in group)
    return _each(pick, pick.run.step_s) / least - 1


def _each(one: Scored, step_s: float | None) -> float:
    """Seconds of a sequence: all in a group are equally long."""
    return (step_s or 0.0) / one.run.settings[0].global_batch_size

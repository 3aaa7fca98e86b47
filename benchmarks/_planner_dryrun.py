"""The planner's formulas against dry runs, stage by stage: the cases of tests/cases/planner/dry_runs.yaml."""

import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from _score import Score

sys.path.insert(0, str(Path(__file__).parents[1]))

from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.training.dryrun import dry_run
from tests.support.dry_runs import dry_run_cases

GIB = 2**30


def dry_run_scores() -> Iterator[Score]:
    """Formulas over dry run of each stage of every case, with the fullest stage's bytes and how long the run took."""
    for case in dry_run_cases():
        setting = case.setting()
        began = perf_counter()
        run = dry_run(setting)
        wall_s = perf_counter() - began
        pairs = zip(memory_of(setting).stages, run.stages, strict=True)
        errors = [formulas.allocated / stage.peak.total - 1 for formulas, stage in pairs]
        told = f"{run.world_size:,} ranks, {run.fullest.peak.total / GIB:.1f} GiB, {wall_s:.1f} s"
        yield Score(f"{case.preset}, {case.framework}", errors, told)

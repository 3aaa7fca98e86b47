"""A dry run: one rank of each distinct pipeline stage makes its passes; the rest follows from the schedule."""

from collections.abc import Iterator

from l3_modeltools.architectures import pieces
from l3_modeltools.planning.cost import Setting
from l3_modeltools.training.dryrun.compose import composed
from l3_modeltools.training.dryrun.measure import Measured, measure_each
from l3_modeltools.training.dryrun.model.way import Way, ways_of
from l3_modeltools.training.dryrun.refuse import dry_run_faults, require
from l3_modeltools.training.dryrun.report import DryRun, StageRun

__all__ = ["dry_run"]

Likeness = tuple[object, ...]


def dry_run(setting: Setting) -> DryRun:
    """Run a step of every pipeline stage without computing anything; the time it takes does not depend on dp.

    Raises UnsatisfiableError for a strategy that is illegal or cannot be built, naming the degree.
    """
    require(dry_run_faults(setting))
    return DryRun(
        engine="torch",
        world_size=setting.strategy.degrees.world_size,
        microbatches=setting.microbatches,
        stages=tuple(_stages(setting)),
    )


def _stages(setting: Setting) -> Iterator[StageRun]:
    known: dict[Likeness, Measured] = {}
    for stage in range(setting.strategy.degrees.pp):
        likeness = tuple(_layers(setting, stage))
        if likeness not in known:
            known[likeness] = measure_each(setting, stage)
        yield composed(known[likeness], setting, stage)


def _layers(setting: Setting, stage: int) -> Iterator[tuple[tuple[Way, bool, bool], ...] | tuple[bool, bool]]:
    """All that the passes of a stage follow from: its layers, how each is recomputed, and its ends."""
    architecture, table = setting.architecture, setting.stages
    dense, usual = pieces.dense_layers(architecture), architecture.num_hidden_layers
    for chunk, row in enumerate(table):
        first = sum(map(sum, table[:chunk])) + sum(row[:stage])
        ways = ways_of(setting, chunk=chunk, stage=stage)
        yield tuple((way, at >= dense, at >= usual) for at, way in enumerate(ways, first))
        yield first == 0, first + len(ways) == architecture.layers

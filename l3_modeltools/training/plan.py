"""What a run directory asks for, read from `run.json` and refused where something is left open."""

from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UsageError
from l3_modeltools.runs import RunLayout, require_inputs
from l3_modeltools.schemas import Architecture, Run, Strategy, Train, TrainingData

__all__ = ["Plan", "read_plan"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A run whose training has nothing left open."""

    directory: Path
    run: Run
    architecture: Architecture
    data: TrainingData
    strategy: Strategy
    steps: int

    @property
    def train(self) -> Train:
        """The training as submitted."""
        return self.run.train


def read_plan(directory: Path, *, ranks: int) -> Plan:
    """Read `run.json` for a run on `ranks` ranks.

    Raises DocumentError for a bad one, UsageError for one that is not resolved or made for other ranks,
    UnsatisfiableError where a data set is not the one it began with.
    """
    where = RunLayout(directory).document
    run = read_document(where, expect=Run)
    train = run.train
    architecture = train.model.architecture if train.model else None
    if not (isinstance(architecture, Architecture) and train.data and train.steps and train.strategy):
        found = "a training whose architecture, data, steps or strategy is left open"
        raise UsageError(
            str(where), found=found, expected="all of them filled in, as `ogai train submit` does"
        )
    if train.strategy.degrees.dp != ranks or train.strategy.degrees.world_size != ranks:
        found = f"{ranks} ranks, with a strategy of dp {train.strategy.degrees.dp}"
        raise UsageError(str(where), found=found, expected="as many ranks as dp, and no other degree above 1")
    require_inputs(run)
    return Plan(
        directory=directory,
        run=run,
        architecture=architecture,
        data=train.data,
        strategy=train.strategy,
        steps=train.steps,
    )

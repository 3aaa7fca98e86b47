"""A step without computing: what one rank of each pipeline stage would hold, run and exchange, by torch's operators.

The second witness of a step's memory: its figures come from the tensors that a model makes, not from formulas. The face
is resolved on first use, so that what only shows results loads no torch.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.training.dryrun.differences import Difference, compare
    from l3_modeltools.training.dryrun.report import DryRun, OperatorCount, StageRun, TensorBytes, Traffic
    from l3_modeltools.training.dryrun.run import dry_run
    from l3_modeltools.training.dryrun.trainer import dry_run_trainer
    from l3_modeltools.training.dryrun.witness import DryRunEngine, Witness, bear_witness, witness_of

__all__ = [
    "Difference",
    "DryRun",
    "DryRunEngine",
    "OperatorCount",
    "StageRun",
    "TensorBytes",
    "Traffic",
    "Witness",
    "bear_witness",
    "compare",
    "dry_run",
    "dry_run_trainer",
    "witness_of",
]

HOMES = {
    "Difference": "differences",
    "DryRun": "report",
    "DryRunEngine": "witness",
    "OperatorCount": "report",
    "StageRun": "report",
    "TensorBytes": "report",
    "Traffic": "report",
    "Witness": "witness",
    "bear_witness": "witness",
    "compare": "differences",
    "dry_run": "run",
    "dry_run_trainer": "trainer",
    "witness_of": "witness",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)

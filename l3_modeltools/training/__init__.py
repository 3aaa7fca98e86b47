"""The trainer: one process for each rank turns a run directory's `run.json` into trained weights.

The face is resolved on first use, so that importing it costs no torch.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.training.export import export_run, sample_run
    from l3_modeltools.training.model import build_model

__all__ = ["build_model", "export_run", "sample_run"]

HOMES = {
    "build_model": "model",
    "export_run": "export",
    "sample_run": "export",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)

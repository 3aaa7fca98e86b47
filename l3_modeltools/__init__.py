"""A model is cut over a cluster and trained to the end.

The face is resolved on first use, so that looking at runs loads neither numpy nor torch.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.architectures import Parameters, count_parameters, parse_hf_config, preset
    from l3_modeltools.checkpoint import Shelf
    from l3_modeltools.data import find_dataset
    from l3_modeltools.frameworks import find_container, render_job
    from l3_modeltools.planning import AcceleratorSize, MemoryTerms, Place, TrainingPlan, plan_training
    from l3_modeltools.runs import (
        Comparison,
        Measured,
        Metric,
        Sample,
        compare_runs,
        create_run,
        find_run,
        judge_run,
        list_runs,
        list_saved,
        read_metrics,
        read_outcome,
        read_samples,
        read_starts,
        scan_runs,
        update_run,
    )
    from l3_modeltools.training import Exported, export_run, sample_run

__all__ = [
    "AcceleratorSize",
    "Comparison",
    "Exported",
    "Measured",
    "MemoryTerms",
    "Metric",
    "Parameters",
    "Place",
    "Sample",
    "Shelf",
    "TrainingPlan",
    "compare_runs",
    "count_parameters",
    "create_run",
    "export_run",
    "find_container",
    "find_dataset",
    "find_run",
    "judge_run",
    "list_runs",
    "list_saved",
    "parse_hf_config",
    "plan_training",
    "preset",
    "read_metrics",
    "read_outcome",
    "read_samples",
    "read_starts",
    "render_job",
    "sample_run",
    "scan_runs",
    "update_run",
]

HOMES = {
    "AcceleratorSize": "planning",
    "Comparison": "runs",
    "Exported": "training",
    "Measured": "runs",
    "MemoryTerms": "planning",
    "Metric": "runs",
    "Parameters": "architectures",
    "Place": "planning",
    "Sample": "runs",
    "Shelf": "checkpoint",
    "TrainingPlan": "planning",
    "compare_runs": "runs",
    "count_parameters": "architectures",
    "create_run": "runs",
    "export_run": "training",
    "find_container": "frameworks",
    "find_dataset": "data",
    "find_run": "runs",
    "judge_run": "runs",
    "list_runs": "runs",
    "list_saved": "runs",
    "parse_hf_config": "architectures",
    "plan_training": "planning",
    "preset": "architectures",
    "read_metrics": "runs",
    "read_outcome": "runs",
    "read_samples": "runs",
    "read_starts": "runs",
    "render_job": "frameworks",
    "sample_run": "training",
    "scan_runs": "runs",
    "update_run": "runs",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)

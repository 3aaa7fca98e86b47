"""A model is cut over a cluster and trained to the end.

The face is resolved on first use, so that looking at runs loads neither numpy nor torch.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l3_modeltools.architectures import Parameters, count_parameters, parse_hf_config, preset
    from l3_modeltools.checkpoint import Compared, Found, Shelf, compare_checkpoints, probe_checkpoint
    from l3_modeltools.data import (
        Decoded,
        Inspection,
        Prepared,
        Progress,
        Verification,
        decode_documents,
        find_dataset,
        inspect_dataset,
        list_datasets,
        prepare_dataset,
        verify_dataset,
    )
    from l3_modeltools.frameworks import find_container, render_job, resolve_command
    from l3_modeltools.planning import AcceleratorSize, MemoryTerms, Place, TrainingPlan, plan_training
    from l3_modeltools.runs import (
        Comparison,
        DamagedRun,
        Measured,
        Metric,
        Sample,
        compare_runs,
        create_run,
        find_run,
        hold_run,
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
    from l3_modeltools.training import export_run, sample_run

__all__ = [
    "AcceleratorSize",
    "Compared",
    "Comparison",
    "DamagedRun",
    "Decoded",
    "Found",
    "Inspection",
    "Measured",
    "MemoryTerms",
    "Metric",
    "Parameters",
    "Place",
    "Prepared",
    "Progress",
    "Sample",
    "Shelf",
    "TrainingPlan",
    "Verification",
    "compare_checkpoints",
    "compare_runs",
    "count_parameters",
    "create_run",
    "decode_documents",
    "export_run",
    "find_container",
    "find_dataset",
    "find_run",
    "hold_run",
    "inspect_dataset",
    "judge_run",
    "list_datasets",
    "list_runs",
    "list_saved",
    "parse_hf_config",
    "plan_training",
    "prepare_dataset",
    "preset",
    "probe_checkpoint",
    "read_metrics",
    "read_outcome",
    "read_samples",
    "read_starts",
    "render_job",
    "resolve_command",
    "sample_run",
    "scan_runs",
    "update_run",
    "verify_dataset",
]

HOMES = {
    "AcceleratorSize": "planning",
    "Compared": "checkpoint",
    "Comparison": "runs",
    "DamagedRun": "runs",
    "Decoded": "data",
    "Found": "checkpoint",
    "Inspection": "data",
    "Measured": "runs",
    "MemoryTerms": "planning",
    "Metric": "runs",
    "Parameters": "architectures",
    "Place": "planning",
    "Prepared": "data",
    "Progress": "data",
    "Sample": "runs",
    "Shelf": "checkpoint",
    "TrainingPlan": "planning",
    "Verification": "data",
    "compare_checkpoints": "checkpoint",
    "compare_runs": "runs",
    "count_parameters": "architectures",
    "create_run": "runs",
    "decode_documents": "data",
    "export_run": "training",
    "find_container": "frameworks",
    "find_dataset": "data",
    "find_run": "runs",
    "inspect_dataset": "data",
    "judge_run": "runs",
    "list_datasets": "data",
    "hold_run": "runs",
    "list_runs": "runs",
    "list_saved": "runs",
    "parse_hf_config": "architectures",
    "plan_training": "planning",
    "prepare_dataset": "data",
    "preset": "architectures",
    "probe_checkpoint": "checkpoint",
    "read_metrics": "runs",
    "read_outcome": "runs",
    "read_samples": "runs",
    "read_starts": "runs",
    "render_job": "frameworks",
    "resolve_command": "frameworks",
    "sample_run": "training",
    "scan_runs": "runs",
    "update_run": "runs",
    "verify_dataset": "data",
}


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)

"""Runs of the project's own trainer as lines of a table of measured runs, so that they can be scored and fitted to."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from l3_modeltools.planning.calibrate.table import COLUMNS
from l3_modeltools.runs import Measured, Metric, measured_peak_bytes, measured_step_s
from l3_modeltools.schemas import Architecture, GroupedAttention, Run, Train

__all__ = ["measured_row", "unmeasured_because", "write_rows"]

GIB = 2**30


def unmeasured_because(run: Run, metrics: Sequence[Metric]) -> str | None:
    """Say why a run makes no line of the table; None where it does."""
    train, planned = run.train, run.expected
    architecture = train.model.architecture if train.model else None
    if not isinstance(architecture, Architecture) or train.data is None or train.strategy is None:
        return "what it runs is not known"
    if not isinstance(architecture.attention, GroupedAttention) or architecture.experts is not None:
        return "a table of runs has no columns for experts and latent attention"
    if (train.model and train.model.lora) or train.objective.data_format != "text":
        return "only an adapter is trained, or no plain text"
    if planned is None or planned.device is None:
        return "its accelerators have no data sheet"
    if measured_step_s(run, metrics) is None:
        return "no step after the first few was timed"
    return None


def measured_row(one: Measured) -> Mapping[str, object]:
    """A run with a reason to be in the table (`unmeasured_because` gives none) as its cells, by column."""
    run, train = one.run, one.run.train
    model = train.model.architecture if train.model else None
    if not isinstance(model, Architecture) or train.data is None or train.strategy is None:
        raise ValueError(run.run_id)
    heads = model.attention
    peak = measured_peak_bytes(one.metrics)
    return {
        "dataset": "own",
        "model": model.name,
        "hidden": model.hidden_size,
        "ffn": model.mlp.intermediate_size,
        "layers": model.num_hidden_layers,
        "heads": heads.num_attention_heads,
        "kv_heads": heads.key_value_heads if isinstance(heads, GroupedAttention) else "",
        "vocab": model.vocab_size,
        "gated_mlp": int(model.mlp.gated),
        "gpu": run.expected.device if run.expected else "",
        "precision": train.compute.precision,
        "framework": "ogai",
        "gpus": train.ranks,
        "dp": train.strategy.degrees.dp,
        **_cut(train),
        "gbs": train.data.global_batch_size,
        "seq_len": train.data.sequence_length,
        "iter_s": _rounded(measured_step_s(run, one.metrics)),
        "peak_mem_gib": _rounded(peak / GIB if peak else None),
        "note": run.run_id,
    }


def _cut(train: Train) -> Mapping[str, object]:
    strategy = train.strategy
    if strategy is None:
        return {}
    return {
        "zero_stage": strategy.zero_stage if strategy.degrees.dp > 1 else 0,
        "mbs": strategy.micro_batch_size,
        "recompute": strategy.recompute.mode,
    }


def _rounded(number: float | None) -> str:
    return "" if number is None else f"{number:.6g}"


def write_rows(rows: Iterable[Mapping[str, object]]) -> str:
    """The table as CSV, with a heading, even of no rows."""
    text = StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()

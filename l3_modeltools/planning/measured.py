"""Steps that others measured, from a table: each row becomes a setting that can be priced, and what it took."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO

from msgspec.structs import replace

from l0_infra.core.errors import DocumentError, Fault
from l3_modeltools.frameworks import PRACTICES, practice_of
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.schemas import (
    Architecture,
    Degrees,
    GroupedAttention,
    Mlp,
    Pipeline,
    Practice,
    Recompute,
    Strategy,
    balanced_offset,
)

__all__ = ["MeasuredRun", "read_measured"]

Row = Mapping[str, str]

GIB = 2**30

WHOLE = ("hidden", "ffn", "layers", "heads", "vocab", "gpus", "gbs", "seq_len")
"""Columns that every row must fill with a whole number."""

OPTIONAL = ("kv_heads", "tp", "pp", "cp", "vp", "dp", "ep", "mbs")
"""Columns that may be empty: as many as heads, 1, or of mbs the batch dealt to as many micro batches as stages."""

WORDS = ("dataset", "model", "gated_mlp", "gpu", "precision", "fsdp", "recompute", "note", "source")
MEASURED = ("iter_s", "peak_mem_gib")

FRAMEWORKS = {
    "torchtitan": "torchtitan",
    "mosaicml": "llm-foundry",
    "simumax_b200": "megatron",
    "llama3_table4": "megatron",
    "vtrain_single": "megatron-2022",
    "megatron_sc21": "megatron-2022",
    "seqsel_tab5": "megatron-2022",
}
"""What trained the published runs, by data set. A column `framework` says it for others."""

PADDING = 128
"""Megatron-LM pads the vocabulary to a multiple of so many times tp (--make-vocab-size-divisible-by)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredRun:
    """One row: what ran, with which framework's habits, and what was measured of it; null: not measured."""

    dataset: str
    model: str
    device: str
    framework: str
    note: str
    setting: Setting
    seconds: float | None
    peak_bytes: int | None


def read_measured(text: str, source: str = "table") -> tuple[MeasuredRun, ...]:
    """Read a CSV with a heading; DocumentError with every cell that is no number, by line."""
    rows = list(csv.DictReader(StringIO(text)))
    faults = [fault for line, row in enumerate(rows, 2) for fault in _faults(row, f"{source}:{line}")]
    if faults:
        raise DocumentError(source, faults)
    return tuple(_run(row) for row in rows)


def _faults(row: Row, where: str) -> Iterator[Fault]:
    for name in (*WHOLE, *OPTIONAL, *WORDS, *MEASURED):
        cell = row.get(name)
        if cell is None:
            yield Fault(path=(name,), found=f"no {name}", expected="this column", where=where)
        elif name in WHOLE + OPTIONAL and not cell.isdigit() and (cell or name in WHOLE):
            yield Fault(path=(name,), found=f"{name} `{cell}`", expected="a whole number", where=where)
        elif name in MEASURED and cell and not _is_number(cell):
            yield Fault(path=(name,), found=f"{name} `{cell}`", expected="a number", where=where)


def _is_number(cell: str) -> bool:
    try:
        return float(cell) > 0
    except ValueError:
        return False


def _run(row: Row) -> MeasuredRun:
    seconds, peak, framework = row["iter_s"], row["peak_mem_gib"], _framework(row)
    setting = Setting(
        architecture=_architecture(row),
        strategy=_strategy(row, framework),
        sequence_length=int(row["seq_len"]),
        global_batch_size=int(row["gbs"]),
        practice=_practice(row, framework),
    )
    return MeasuredRun(
        dataset=row["dataset"],
        model=row["model"],
        device=row["gpu"],
        framework=framework,
        note=row["note"],
        setting=setting,
        seconds=float(seconds) if seconds else None,
        peak_bytes=round(float(peak) * GIB) if peak else None,
    )


def _architecture(row: Row) -> Architecture:
    gated = row["gated_mlp"] == "1"
    return Architecture(
        name="measured",
        model_type="llama" if gated else "gpt2",
        hidden_size=int(row["hidden"]),
        num_hidden_layers=int(row["layers"]),
        vocab_size=int(row["vocab"]),
        max_position_embeddings=int(row["seq_len"]),
        attention=GroupedAttention(
            num_attention_heads=int(row["heads"]),
            num_key_value_heads=int(row["kv_heads"] or row["heads"]),
            attention_bias=not gated,
        ),
        mlp=Mlp(
            intermediate_size=int(row["ffn"]),
            gated=gated,
            hidden_act="silu" if gated else "gelu",
            mlp_bias=not gated,
        ),
        norm="rms_norm" if gated else "layer_norm",
    )


def _strategy(row: Row, framework: str) -> Strategy:
    degrees = _degrees(row, framework)
    unit = PADDING * degrees.tp if framework.startswith("megatron") else degrees.tp
    return Strategy(
        degrees=degrees,
        pipeline=Pipeline(
            schedule="interleaved" if degrees.vp > 1 else "1f1b",
            offset=balanced_offset(int(row["layers"]), degrees.pp, degrees.vp),
        ),
        recompute=_recompute(row["recompute"]),
        zero_stage=3 if row["fsdp"] == "1" else 1 if framework == "megatron" else 0,
        micro_batch_size=int(row["mbs"] or int(row["gbs"]) // degrees.dp // degrees.pp),
        padded_vocab_size=-(-int(row["vocab"]) // unit) * unit,
    )


def _degrees(row: Row, framework: str) -> Degrees:
    """torchtitan interleaves two stages a rank; before 2022 Megatron-LM split no sequences unless a row says so."""
    dp, tp, pp, cp, vp, ep = (int(row[name] or 1) for name in ("dp", "tp", "pp", "cp", "vp", "ep"))
    return Degrees(
        dp=dp,
        tp=tp,
        pp=pp,
        cp=cp,
        vp=2 if vp == 1 and pp > 1 and "interleaved" in row["note"].lower() else vp,
        ep=ep,
        sequence_parallel=tp > 1 and (framework != "megatron-2022" or "SP" in row["recompute"]),
    )


def _recompute(told: str) -> Recompute:
    if told.startswith("selective"):
        return Recompute(mode="selective")
    return Recompute(mode="full" if told == "full" else "none")


def _framework(row: Row) -> str:
    """What the row or its data set says; torchtitan compiled its loss from March 2025 on, and all only if asked to."""
    named = row.get("framework") or FRAMEWORKS.get(row["dataset"], "")
    if named == "torchtitan" and "FSDP" in row["note"] and "compile" not in row["note"]:
        return "torchtitan-eager"
    if named == "torchtitan" and "2024" in row["source"]:
        return "torchtitan-2024"
    if named in PRACTICES:
        return named
    return "torchtitan" if row["fsdp"] == "1" else "megatron"


def _practice(row: Row, framework: str) -> Practice:
    practice = practice_of(framework)
    if "CE fusion" in row["note"]:
        practice = replace(practice, fused_loss=True)
    if "8" in row["precision"]:
        return replace(practice, compute="fp8")
    return replace(practice, compute="fp16") if row["precision"] == "fp16" else practice

"""Measured runs as a table: a line for each, in the columns that published collections share."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Literal

from l0_infra.core.errors import DocumentError, Fault, UsageError
from l3_modeltools.planning.cost import Setting
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

__all__ = ["COLUMNS", "MeasuredRun", "read_runs"]

Format = Literal["fp32", "bf16", "fp16", "fp8"]
Mode = Literal["none", "selective", "full"]

COLUMNS = (
    *(
        "dataset",
        "model",
        "hidden",
        "ffn",
        "layers",
        "heads",
        "kv_heads",
        "vocab",
        "gated_mlp",
        "gpu",
        "precision",
    ),
    *("gpus", "tp", "pp", "cp", "vp", "dp", "fsdp", "ep", "mbs", "gbs", "seq_len", "recompute", "iter_s"),
    *("peak_mem_gib", "note"),
)
"""Columns that are read; others may stand beside them. `tokens_per_s_per_gpu` stands in for a missing `iter_s`."""

FORMATS: Mapping[str, Format] = {
    "fp32": "fp32",
    "fp16": "fp16",
    "bf16": "bf16",
    "amp_bf16": "bf16",
    "fp8": "fp8",
    "float8": "fp8",
    "amp_fp8": "fp8",
}
"""How tables write the format of the products' operands."""

MICRO_BATCHES = (1, 2, 4, 8, 16)
"""Those tried where a table does not tell: whoever publishes a run has chosen a good one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredRun:
    """One line of the table. `settings` are several where the table leaves the micro batch open: the best counts."""

    line: int
    dataset: str
    device: str
    devices: int
    settings: tuple[Setting, ...]
    step_s: float | None
    peak_bytes: float | None


def read_runs(path: Path) -> tuple[MeasuredRun, ...]:
    """Read a table of runs.

    Raises DocumentError with every line that cannot be read, for a table that lacks columns or has no line, and for a
    file that is no text; UsageError for one that cannot be opened.
    """
    runs: list[MeasuredRun] = []
    faults: list[Fault] = []
    for line, row in _rows(path):
        try:
            runs.append(_run(line, row))
        except ValueError as error:
            faults.append(_fault(path, line, str(error), "what its columns are for"))
    if not runs and not faults:
        faults.append(_fault(path, 2, "no line", "a run on each"))
    if faults:
        raise DocumentError(str(path), faults)
    return tuple(runs)


def _rows(path: Path) -> list[tuple[int, Mapping[str, str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(str(path), found=error.strerror or str(error), expected="a table of runs") from error
    except UnicodeDecodeError as error:
        raise DocumentError(str(path), [_fault(path, 1, "bytes that are no UTF-8", "text")]) from error
    table = csv.DictReader(StringIO(text, newline=""), restval="")
    try:
        missing = [name for name in COLUMNS if name not in (table.fieldnames or ())]
        if missing:
            fault = _fault(path, 1, f"no column {', '.join(missing)}", f"the columns {', '.join(COLUMNS)}")
            raise DocumentError(str(path), [fault])
        return [(table.line_num, row) for row in table]
    except csv.Error as error:
        raise DocumentError(str(path), [_fault(path, table.line_num, str(error), "a table")]) from error


def _fault(path: Path, line: int, found: str, expected: str) -> Fault:
    return Fault(path=(), found=found, expected=expected, where=f"{path}:{line}")


def _run(line: int, row: Mapping[str, str]) -> MeasuredRun:
    settings = tuple(_settings(row))
    if not settings:
        raise ValueError(f"a global batch of {row['gbs']} that dp {row['dp']} and no micro batch divide")
    step, peak, rate = (_number(row, name) for name in ("iter_s", "peak_mem_gib", "tokens_per_s_per_gpu"))
    devices = int(_need(row, "gpus"))
    if step is None and rate:
        step = _need(row, "gbs") * _need(row, "seq_len") / rate / devices
    return MeasuredRun(
        line=line,
        dataset=row["dataset"],
        device=row["gpu"],
        devices=devices,
        settings=settings,
        step_s=step,
        peak_bytes=None if peak is None else peak * 2**30,
    )


def _settings(row: Mapping[str, str]) -> Iterator[Setting]:
    told, batch, dp = _number(row, "mbs"), int(_need(row, "gbs")), int(_need(row, "dp"))
    for micro in (int(told),) if told else MICRO_BATCHES:
        if batch % (micro * dp) == 0:
            yield Setting(
                architecture=_architecture(row),
                strategy=_strategy(row, micro),
                sequence_length=int(_need(row, "seq_len")),
                global_batch_size=batch,
                practice=_practice(row),
            )


def _architecture(row: Mapping[str, str]) -> Architecture:
    gated = row["gated_mlp"] == "1"
    return Architecture(
        name="measured",
        model_type="llama" if gated else "gpt2",
        hidden_size=int(_need(row, "hidden")),
        num_hidden_layers=int(_need(row, "layers")),
        vocab_size=int(_need(row, "vocab")),
        max_position_embeddings=int(_need(row, "seq_len")),
        attention=GroupedAttention(
            num_attention_heads=int(_need(row, "heads")), num_key_value_heads=int(_need(row, "kv_heads"))
        ),
        mlp=Mlp(
            intermediate_size=int(_need(row, "ffn")), gated=gated, hidden_act="silu" if gated else "gelu"
        ),
        norm="rms_norm" if gated else "layer_norm",
    )


def _strategy(row: Mapping[str, str], micro_batch_size: int) -> Strategy:
    degree = {name: int(_number(row, name) or 1) for name in ("dp", "tp", "pp", "cp", "ep", "vp")}
    word = row["recompute"]
    mode: Mode = "full" if word == "full" else "selective" if word.startswith("selective") else "none"
    cut = degree["tp"] > 1 and (word.endswith("+SP") or _sharded(row) or _modern(row))
    even = int(_need(row, "layers")) % (degree["pp"] * degree["vp"]) == 0
    offset = None if even else balanced_offset(int(_need(row, "layers")), degree["pp"], degree["vp"])
    return Strategy(
        degrees=Degrees(**degree, sequence_parallel=cut),
        pipeline=Pipeline(schedule="interleaved" if degree["vp"] > 1 else "1f1b", offset=offset),
        recompute=Recompute(mode=mode),
        zero_stage=_zero_stage(row),
        micro_batch_size=micro_batch_size,
    )


def _sharded(row: Mapping[str, str]) -> bool:
    return row["fsdp"] == "1"


def _modern(row: Mapping[str, str]) -> bool:
    """Whether it computes in a format that came after the trainers without fused attention: they had fp16."""
    return row["precision"] not in ("fp16", "fp32")


def _zero_stage(row: Mapping[str, str]) -> Literal[0, 1, 2, 3]:
    note = row["note"]
    if _sharded(row):
        return 2 if "SHARD_GRAD_OP" in note else 3
    return 1 if "ZeRO-1" in note else 0


def _practice(row: Mapping[str, str]) -> Practice:
    note, precision = row["note"], row["precision"]
    if precision not in FORMATS:
        raise ValueError(f"the precision `{precision}`; expected one of {', '.join(FORMATS)}")
    titan = _sharded(row) and row["gated_mlp"] == "1"
    return Practice(
        compute=FORMATS[precision],
        flash_attention=_modern(row),
        fused_elementwise=not titan or "compile" in note or "TP" in note,
        fused_loss="CE fusion" in note,
        overlap_tp="asyncTP" in note,
        selective_keeps="every_second_product" if titan else "all_but_attention_core",
    )


def _number(row: Mapping[str, str], name: str) -> float | None:
    text = (row.get(name) or "").strip()
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} `{text}`, which is no number") from None


def _need(row: Mapping[str, str], name: str) -> float:
    number = _number(row, name)
    if number is None or number <= 0:
        raise ValueError(f"{name} `{row.get(name) or ''}`")
    return number

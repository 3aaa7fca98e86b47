"""Measured runs from a table: each line becomes settings that can be priced, and what was measured of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from l0_infra.core.errors import DocumentError, Fault
from l3_modeltools.architectures import PRESETS, preset
from l3_modeltools.frameworks import PRACTICES, practice_of
from l3_modeltools.planning.calibrate.table import CellError, Row, read_rows, row_fault
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
    cut_faults,
)

__all__ = ["MeasuredRun", "read_runs"]

GIB = 2**30

FORMATS: Mapping[str, Literal["fp32", "bf16", "fp16", "fp8"]] = {
    "": "bf16",
    "fp32": "fp32",
    "fp16": "fp16",
    "bf16": "bf16",
    "amp_bf16": "bf16",
    "fp8": "fp8",
    "float8": "fp8",
    "amp_fp8": "fp8",
}
"""How tables write the format of the products' operands."""

TRAINERS = {
    "torchtitan": "torchtitan",
    "mosaicml": "llm-foundry",
    "simumax_b200": "megatron",
    "llama3_table4": "llama3",
    "vtrain_single": "megatron-2022",
    "megatron_sc21": "megatron-2022",
    "seqsel_tab5": "megatron-2022",
}
"""What trained the runs of published collections; a column `framework` says it for others."""

STAGES: tuple[Literal[0, 1, 2, 3], ...] = (0, 1, 2, 3)

PADDING = 128
"""Megatron-LM pads the vocabulary to a multiple of so many times tp (--make-vocab-size-divisible-by)."""

MICRO_BATCHES = (1, 2, 4, 8, 16)
"""Those tried where a table does not tell: whoever publishes a run has chosen a good one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredRun:
    """One line of the table; what was not measured is null.

    `settings` are several where the table leaves the micro batch or the virtual stages open: the fastest counts.
    """

    line: int
    dataset: str
    model: str
    device: str
    devices: int
    framework: str
    settings: tuple[Setting, ...]
    refused: str | None
    """Why no setting is legal, if none is."""
    step_s: float | None
    peak_bytes: float | None


def read_runs(path: Path) -> tuple[MeasuredRun, ...]:
    """Read a table of runs.

    Raises DocumentError with every line that cannot be read, for a table that lacks columns or has no line, and for a
    file that is no text; UsageError for one that cannot be opened.
    """
    runs: list[MeasuredRun] = []
    faults: list[Fault] = []
    for row in read_rows(path):
        try:
            runs.append(_run(row))
        except CellError as error:
            faults.append(row_fault(path, row.line, error.found, error.expected))
    if faults:
        raise DocumentError(str(path), faults)
    return tuple(runs)


def _run(row: Row) -> MeasuredRun:
    framework = _framework(row)
    settings, refused = _settings(row, framework)
    step, peak, rate = (row.measured(name) for name in ("iter_s", "peak_mem_gib", "tokens_per_s_per_gpu"))
    devices = row.count("gpus")
    if step is None and rate:
        step = row.count("gbs") * row.count("seq_len") / rate / devices
    return MeasuredRun(
        line=row.line,
        dataset=row.word("dataset"),
        model=row.word("model"),
        device=row.word("gpu"),
        devices=devices,
        framework=framework,
        settings=settings,
        refused=refused,
        step_s=step,
        peak_bytes=None if peak is None else peak * GIB,
    )


def _framework(row: Row) -> str:
    """What the row or its data set says; torchtitan compiles only if asked to, its loss from March 2025 on."""
    told, note = row.word("framework"), row.word("note")
    if told and told not in PRACTICES:
        raise CellError(f"framework `{told}`", f"one of {', '.join(PRACTICES)}")
    known = told or TRAINERS.get(row.word("dataset"), "")
    if told or known != "torchtitan":
        return known or ("torchtitan" if _sharded(row) else "megatron")
    if "FSDP" in note and "compile" not in note:
        return "torchtitan-eager"
    return "torchtitan-2024" if "2024" in row.word("source") else "torchtitan"


def _settings(row: Row, framework: str) -> tuple[tuple[Setting, ...], str | None]:
    """All that the row may mean, or why that is not legal."""
    architecture, length, batch = _architecture(row), row.count("seq_len"), row.count("gbs")
    practice, settings = _practice(row, framework), []
    for strategy in _cuts(row, framework, architecture):
        for fault in cut_faults(strategy, architecture, length):
            return (), f"found {fault.found}; expected {fault.expected}"
        settings.append(
            Setting(
                architecture=architecture,
                strategy=strategy,
                sequence_length=length,
                global_batch_size=batch,
                practice=practice,
            )
        )
    return tuple(settings), None


def _cuts(row: Row, framework: str, architecture: Architecture) -> Iterator[Strategy]:
    """Every strategy that the row may mean."""
    plain, batch = _degrees(row, framework), row.count("gbs")
    told = row.count("mbs") if row.word("mbs") else None
    dealt = max(1, batch // plain.dp // plain.pp)  # torchtitan makes as many micro batches as stages
    sizes = (told,) if told else (dealt,) if framework.startswith("torchtitan") else MICRO_BATCHES
    fitting = [size for size in sizes if batch % (size * plain.dp) == 0]
    if not fitting:
        micro = f"micro batch {told}" if told else "no micro batch"
        raise CellError(f"gbs {batch} with dp {plain.dp} and {micro}", "a batch that they divide")
    for size in fitting:
        for vp in _virtual_stages(row, framework, architecture, plain, batch // plain.dp // size):
            yield _strategy(row, framework, architecture, replace(plain, vp=vp), size)


def _virtual_stages(
    row: Row, framework: str, architecture: Architecture, degrees: Degrees, microbatches: int
) -> tuple[int, ...]:
    """As told, or 1; Llama 3's trainer interleaves as it fits (arXiv:2407.21783, section 3.3.2)."""
    if row.word("vp") or degrees.pp == 1 or framework != "llama3" or microbatches % degrees.pp:
        return (degrees.vp,)
    layers, each = architecture.layers, -(-architecture.layers // degrees.pp)
    return tuple(vp for vp in range(1, each + 1) if each % vp == 0 and vp * degrees.pp <= layers)


def _architecture(row: Row) -> Architecture:
    """By name where the row has one, which the sizes beside it need not repeat; else by its sizes."""
    if name := row.word("preset"):
        if name not in PRESETS:
            raise CellError(f"preset `{name}`", f"one of {', '.join(PRESETS)}")
        return preset(name)
    hidden, heads = row.count("hidden"), row.count("heads")
    gated = row.word("gated_mlp") == "1"
    architecture = Architecture(
        name="measured",
        model_type="llama" if gated else "gpt2",
        hidden_size=hidden,
        num_hidden_layers=row.count("layers"),
        vocab_size=row.count("vocab"),
        max_position_embeddings=row.count("seq_len"),
        attention=GroupedAttention(
            num_attention_heads=heads,
            num_key_value_heads=row.count("kv_heads", heads),
            attention_bias=not gated,
        ),
        mlp=Mlp(
            intermediate_size=row.count("ffn", 4 * hidden),
            gated=gated,
            hidden_act="silu" if gated else "gelu",
            mlp_bias=not gated,
        ),
        norm="rms_norm" if gated else "layer_norm",
    )
    for fault in (*architecture.faults(), *architecture.attention.faults()):
        raise CellError(fault.found, fault.expected)
    return architecture


def _degrees(row: Row, framework: str) -> Degrees:
    """torchtitan interleaves two stages a rank; before 2022 Megatron-LM split no sequences unless a row says so."""
    tp, pp, cp, vp, ep = (row.count(name, 1) for name in ("tp", "pp", "cp", "vp", "ep"))
    devices = row.count("gpus")
    dp = row.count("dp", max(1, devices // (tp * pp * cp)))
    if dp * tp * pp * cp != devices:
        raise CellError(f"dp {dp} · tp {tp} · pp {pp} · cp {cp} with {devices} gpus", "as many as they make")
    interleaved = vp == 1 and pp > 1 and "interleaved" in row.word("note").casefold()
    return Degrees(
        dp=dp,
        tp=tp,
        pp=pp,
        cp=cp,
        vp=2 if interleaved else vp,
        ep=ep,
        sequence_parallel=tp > 1 and (framework != "megatron-2022" or "SP" in row.word("recompute")),
    )


def _strategy(
    row: Row, framework: str, architecture: Architecture, degrees: Degrees, micro_batch_size: int
) -> Strategy:
    word, vocabulary, layers = row.word("recompute"), architecture.vocab_size, architecture.layers
    unit = PADDING * degrees.tp if framework.startswith("megatron") else degrees.tp
    mode: Literal["none", "selective", "full"] = "full" if word == "full" else "none"
    return Strategy(
        degrees=degrees,
        pipeline=Pipeline(
            schedule="interleaved" if degrees.vp > 1 else "1f1b",
            offset=balanced_offset(layers, degrees.pp, degrees.vp)
            if degrees.pp * degrees.vp <= layers
            else None,
        ),
        recompute=Recompute(mode="selective" if word.startswith("selective") else mode),
        zero_stage=_zero_stage(row, framework),
        micro_batch_size=micro_batch_size,
        padded_vocab_size=-(-vocabulary // unit) * unit,
    )


def _sharded(row: Row) -> bool:
    return row.word("fsdp") == "1"


def _zero_stage(row: Row, framework: str) -> Literal[0, 1, 2, 3]:
    """A column of its own says it; else what the row has of it: FSDP, its sharding of gradients alone, ZeRO 1."""
    told = row.word("zero_stage")
    for stage in STAGES:
        if told == str(stage):
            return stage
    if told:
        raise CellError(f"zero_stage `{told}`", "0, 1, 2 or 3")
    if _sharded(row):
        return 3
    if "SHARD_GRAD_OP" in row.word("note"):
        return 2
    return 1 if framework == "megatron" or "ZeRO-1" in row.word("note") else 0


def _practice(row: Row, framework: str) -> Practice:
    note, precision, practice = row.word("note"), row.word("precision"), practice_of(framework)
    if precision not in FORMATS:
        raise CellError(f"precision `{precision}`", f"one of {', '.join(filter(None, FORMATS))}")
    return replace(
        practice,
        compute=FORMATS[precision],
        fused_loss=practice.fused_loss or "CE fusion" in note,
        overlap_tp=practice.overlap_tp or "asyncTP" in note,
    )

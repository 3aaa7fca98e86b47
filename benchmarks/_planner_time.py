"""The planner's seconds of a step against published ones."""

from collections.abc import Iterator
from dataclasses import replace as changed
from pathlib import Path
from statistics import fmean

from _planner_memory import simumax_setting
from _planner_models import Row, llama, rows_of
from _score import Score
from msgspec.structs import replace

from l3_modeltools.frameworks import practice_of
from l3_modeltools.planning.calibrate import MeasuredRun, Scored, read_runs, score_runs
from l3_modeltools.planning.cost import Setting, load_calibration
from l3_modeltools.schemas import Degrees, LearnedPositions, Mlp, Pipeline, Strategy
from ogai.flows.strategy.sheets import sheets_for

OTHERS = {
    "vtrain_single": "fitted on; vTrain 8.37 (its paper, MICRO 2024)",
    "mosaicml, A100": "fitted on",
    "seqsel_tab5": "Calculon 3.65 (its validation)",
}


def time_scores(data: Path) -> Iterator[Score]:
    """Every score that the tables in a directory allow."""
    yield from _runs(data / "runs.csv")
    yield from _told_in_flops(data / "runs.csv", "llama3_table4")
    yield _simumax(data / "simumax_b200_real_vs_perf.csv")
    yield _megatron_core(data / "megatron_core_h100_table.csv")


def published_scores() -> Iterator[Score]:
    """What NVIDIA publishes of NeMo and Megatron Bridge; it tells of no recomputing, so there is none."""
    yield from _runs(Path(__file__).with_name("published_runs.csv"))


def _scored(runs: list[MeasuredRun]) -> tuple[Scored, ...]:
    return score_runs(runs, sheets_for(run.device for run in runs), load_calibration())


def _runs(path: Path) -> Iterator[Score]:
    """All runs with measured seconds, by data set, and where formats or devices differ much, by those."""
    sets: dict[str, list[float]] = {}
    for one in _scored([run for run in read_runs(path) if run.step_s is not None]):
        sets.setdefault(_name(one.run), []).append(1.0 if one.step_error is None else one.step_error)
    for name, errors in sets.items():
        yield Score(name, errors, OTHERS.get(name, ""))


def _name(run: MeasuredRun) -> str:
    if run.dataset == "mosaicml":
        return f"mosaicml, {run.device.partition('-')[0]}"
    if run.dataset == "torchtitan":
        return f"torchtitan, {run.settings[0].practice.compute}"
    return run.dataset


def _told_in_flops(path: Path, dataset: str) -> Iterator[Score]:
    """Rows of which only FLOP/s are published, counted as arXiv:2204.02311, appendix B counts: attention in full."""
    told = {at: row["note"] for at, row in enumerate(rows_of(path), 2) if row["dataset"] == dataset}
    runs = [run for run in read_runs(path) if run.dataset == dataset]
    for one in _scored(runs):
        setting, rate = one.run.settings[0], float(told[one.run.line].split(" TFLOP/s")[0]) * 1e12
        seconds = flops_of(setting) / one.run.devices / rate
        name = f"{dataset}, {one.run.devices:,} devices, {setting.sequence_length:,} tokens"
        yield Score(name, [(one.step_s or 0.0) / seconds - 1])


def flops_of(setting: Setting) -> float:
    """FLOPs of a step without what is made again: 6 N for each token, and 12 L h s for attention."""
    model, length = setting.architecture, setting.sequence_length
    hidden, inner = model.hidden_size, model.mlp.intermediate_size
    heads = model.attention
    groups = getattr(heads, "key_value_heads", heads.num_attention_heads) / heads.num_attention_heads
    layer = 2 * hidden * hidden * (1 + groups) + (3 if model.mlp.gated else 2) * hidden * inner
    each = 6 * (model.num_hidden_layers * layer + setting.vocabulary * hidden)
    each += 12 * model.num_hidden_layers * hidden * length
    return each * setting.global_batch_size * length


def _simumax(path: Path) -> Score:
    """Megatron-LM on B200, models of few layers, dense and with experts, beside SimuMax's own seconds."""
    rows = rows_of(path)
    runs = [_run(simumax_setting(row), "B200", float(row["real_step_ms"]) / 1000) for row in rows]
    theirs = fmean(abs(float(row["simumax_ms"]) / float(row["real_step_ms"]) - 1) for row in rows)
    errors = [one.step_error or 0.0 for one in _scored(runs)]
    return Score("simumax, with experts", errors, f"SimuMax {100 * theirs:.2f}")


def _run(setting: Setting, device: str, seconds: float, *further: Setting) -> MeasuredRun:
    return MeasuredRun(
        line=0,
        dataset="",
        model="",
        device=device,
        devices=setting.strategy.degrees.world_size,
        framework="megatron",
        settings=(setting, *further),
        refused=None,
        step_s=seconds,
        peak_bytes=None,
    )


def _megatron_core(path: Path) -> Score:
    """GPTs on H100 (Megatron-LM's README); micro batch and virtual stages are not told: the best count."""
    runs = []
    for row in rows_of(path):
        settings = list(_gpt_settings(row))
        seconds = flops_of(settings[0]) / (float(row["tflops_per_gpu"]) * 1e12) / int(row["gpus"])
        runs.append(_run(settings[0], "H100-80GB", seconds, *settings[1:]))
    return Score("megatron core on h100", [one.step_error or 0.0 for one in _scored(runs)])


def _gpt_settings(row: Row) -> Iterator[Setting]:
    tp, pp, dp, layers, batch = (int(row[name]) for name in ("tp", "pp", "dp", "layers", "gbs"))
    hidden, heads = int(row["hidden"]), int(row["heads"])
    model = replace(
        llama(hidden, 4 * hidden, heads, heads, int(row["vocab"])),
        num_hidden_layers=layers,
        mlp=Mlp(intermediate_size=4 * hidden, hidden_act="gelu", gated=False),
        norm="layer_norm",
        positions=LearnedPositions(),
        tie_word_embeddings=True,
        max_position_embeddings=int(row["seq_len"]),
    )
    for size in (1, 2, 4):
        counts = [vp for vp in range(1, 8) if pp > 1 and layers % (pp * vp) == 0] or [1]
        for vp in counts:
            if batch % (dp * size) or (vp > 1 and batch // dp // size % pp):
                continue
            strategy = Strategy(
                degrees=Degrees(dp=dp, tp=tp, pp=pp, vp=vp, sequence_parallel=tp > 1),
                pipeline=Pipeline(schedule="interleaved" if vp > 1 else "1f1b"),
                zero_stage=1,
                micro_batch_size=size,
            )
            yield changed(
                Setting(
                    architecture=model,
                    strategy=strategy,
                    sequence_length=int(row["seq_len"]),
                    global_batch_size=batch,
                ),
                practice=replace(practice_of("megatron"), overlap_tp=True),
            )

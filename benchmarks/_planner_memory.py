"""The planner's memory against published peaks: measured ones, dry-run ones, and figures of a paper."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from statistics import fmean

from _planner_figures import figure_scores
from _planner_mindformers import mindformers_scores
from _planner_models import Row, llama, rows_of
from _score import Score
from msgspec.structs import replace

from l3_modeltools.frameworks import PRACTICES, practice_of
from l3_modeltools.planning.calibrate import read_runs, score_runs
from l3_modeltools.planning.cost import Setting, load_calibration
from l3_modeltools.planning.cost.bytes import StepMemory, memory_of
from l3_modeltools.schemas import Architecture, Degrees, Experts, LatentAttention, Strategy
from ogai.flows.strategy.sheets import sheets_for

GIB = 2**30


def memory_scores(data: Path) -> Iterator[Score]:
    """Every score that the tables in a directory allow."""
    yield from _runs(data / "runs.csv")
    yield _simumax(data / "simumax_b200_real_vs_perf.csv")
    yield from mindformers_scores(data / "mindformers_sapp_dryrun_peak_mem.csv")
    yield from figure_scores(data / "seqsel_activation_memory.csv")


def _peak(memory: StepMemory, framework: str) -> int:
    allocated = PRACTICES[framework].reports == "allocated"
    return max(stage.allocated if allocated else stage.reserved for stage in memory.stages)


def _runs(path: Path) -> Iterator[Score]:
    """All runs with a measured peak, by data set."""
    runs = [run for run in read_runs(path) if run.peak_bytes]
    scored = score_runs(runs, sheets_for(run.device for run in runs), load_calibration())
    for dataset, group in groupby(scored, lambda one: one.run.dataset):
        yield Score(f"{dataset}, measured peaks", [one.peak_error or 0.0 for one in group])


def _deepseek(hidden: int, inner: int, vocabulary: int, experts: Experts) -> Architecture:
    latent = LatentAttention(
        num_attention_heads=128,
        q_lora_rank=1536,
        kv_lora_rank=512,
        qk_nope_head_dim=128,
        qk_rope_head_dim=64,
        v_head_dim=128,
    )
    plain = llama(hidden, inner, 128, 128, vocabulary)
    return replace(plain, attention=latent, experts=experts, num_hidden_layers=2)


CUT_MODELS = {
    "llama3_70b": llama(8192, 28672, 64, 8, 128256),
    "llama3_405b": llama(16384, 53248, 128, 16, 128256),
    "deepseekv2": _deepseek(
        5120,
        12288,
        102400,
        Experts(
            n_routed_experts=160,
            num_experts_per_tok=6,
            moe_intermediate_size=1536,
            n_shared_experts=2,
            first_k_dense_replace=1,
        ),
    ),
    "deepseekv3": _deepseek(
        7168,
        18432,
        129280,
        Experts(
            n_routed_experts=256,
            num_experts_per_tok=8,
            moe_intermediate_size=2048,
            n_shared_experts=1,
            first_k_dense_replace=1,
        ),
    ),
}
"""As the measured runs were launched: SimuMax@4dcaae5 simu_tools/megatron_scripts/scripts/run_pretrain_*.sh."""


def _simumax(path: Path) -> Score:
    """Megatron-LM on B200, models of few layers, dense and with experts, beside SimuMax's own account."""
    errors, theirs = [], []
    for row in rows_of(path):
        measured = float(row["real_peak_alloc_gib"])
        errors.append(_peak(memory_of(simumax_setting(row)), "megatron") / GIB / measured - 1)
        theirs.append(abs(float(row["simumax_alloc_gib"]) / measured - 1))
    return Score("simumax, with experts", errors, f"SimuMax {100 * fmean(theirs):.2f}")


def simumax_setting(row: Row) -> Setting:
    """A row of SimuMax's table as it was launched."""
    dp, tp, pp, cp = (int(row[name]) for name in ("dp", "tp", "pp", "cp"))
    model = replace(CUT_MODELS[row["model"]], num_hidden_layers=int(row["layers_used"]))
    unit = 128 * tp
    strategy = Strategy(
        degrees=Degrees(dp=dp, tp=tp, pp=pp, cp=cp, ep=int(row["ep"] or 1), sequence_parallel=tp > 1),
        zero_stage=1,
        padded_vocab_size=-(-model.vocab_size // unit) * unit,
    )
    return Setting(
        architecture=model,
        strategy=strategy,
        sequence_length=int(row["seq_len_assumed_4096_if_absent"]),
        global_batch_size=int(row["micro_batch_count"]) * dp,
        practice=replace(practice_of("megatron"), fused_loss=True),
    )

"""The planner's memory against the figures of arXiv:2205.05198, which say what recomputation keeps."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from _planner_models import llama, rows_of
from _score import Score
from msgspec.structs import replace

from l3_modeltools.frameworks import practice_of
from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes import memory_of
from l3_modeltools.schemas import (
    Degrees,
    GroupedAttention,
    LearnedPositions,
    Mlp,
    Pipeline,
    Recompute,
    Strategy,
)

GIB = 2**30

GPTS = {
    "22B": (6144, 48, 64, 4, 1, 1, 4),
    "175B": (12288, 96, 96, 1, 8, 3, 64),
    "530B": (20480, 105, 128, 1, 35, 3, 280),
    "1T": (25600, 128, 160, 1, 64, 1, 512),
}
"""Hidden size, layers, heads, micro batch, pp, vp and batch of the models of arXiv:2205.05198, table 3."""

MODES = {
    "none": (False, Recompute()),
    "seq": (True, Recompute()),
    "sel": (False, Recompute(mode="selective")),
    "seqsel": (True, Recompute(mode="selective")),
    "full": (False, Recompute(mode="full")),
}


def figure_scores(path: Path) -> Iterator[Score]:
    """Figure 7, in per cent of what tensor parallelism alone keeps, and figure 1, in bytes."""
    percent, absolute = [], []
    for row in rows_of(path):
        model, mode = row["model"], row["mode"].removesuffix("_abs")
        if mode == row["mode"]:
            found = 100 * _kept(model, mode, 3) / _kept(model, "none", 3)
            percent.append(found / float(row["pct_of_tp_baseline_fig7"]) - 1)
        elif mode == "params_optimizer":
            absolute.append(_states(model) / GIB / float(row["gib_per_gpu_fig1"]) - 1)
        else:
            absolute.append(_kept(model, mode, GPTS[model][4]) / GIB / float(row["gib_per_gpu_fig1"]) - 1)
    yield Score("seqsel, kept activations in per cent", percent)
    yield Score("seqsel, bytes", absolute)


def _kept(model: str, mode: str, pp: int) -> int:
    """Kept activations: of the first stage, or of the second of three, which has neither end."""
    stages = memory_of(_gpt_setting(model, mode, pp)).stages
    return stages[pp == 3].activations


def _states(model: str) -> float:
    """Weights, gradients and optimizer of a rank, in the mean over stages."""
    stages = memory_of(_gpt_setting(model, "none", GPTS[model][4])).stages
    return fmean(stage.weights + stage.gradients + stage.master_and_moments for stage in stages)


def _gpt_setting(model: str, mode: str, pp: int) -> Setting:
    hidden, layers, heads, micro, true_pp, true_vp, batch = GPTS[model]
    sequences, recompute = MODES[mode]
    vp = true_vp if pp == true_pp else 1
    architecture = replace(
        llama(hidden, 4 * hidden, heads, heads, 51200),
        num_hidden_layers=layers,
        attention=GroupedAttention(num_attention_heads=heads, attention_bias=True),
        mlp=Mlp(intermediate_size=4 * hidden, hidden_act="gelu", gated=False, mlp_bias=True),
        norm="layer_norm",
        positions=LearnedPositions(),
        tie_word_embeddings=True,
        max_position_embeddings=2048,
    )
    return Setting(
        architecture=architecture,
        strategy=Strategy(
            degrees=Degrees(tp=8, pp=pp, vp=vp, sequence_parallel=sequences),
            pipeline=Pipeline(schedule="interleaved" if vp > 1 else "1f1b"),
            recompute=recompute,
            micro_batch_size=micro,
        ),
        sequence_length=2048,
        global_batch_size=batch if pp == true_pp else 3 * micro,
        practice=practice_of("megatron-2022"),
    )

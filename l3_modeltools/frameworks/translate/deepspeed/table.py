"""Which field of DeepSpeed's JSON says what; what the model's own code says is not there.

Sources: deepspeedai/DeepSpeed@edaa722 docs/_pages/config-json.md, deepspeed/runtime/config.py and
deepspeed/runtime/pipe/engine.py.
"""

from collections.abc import Mapping

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.stages import Counts
from l3_modeltools.frameworks.translate.table import Beyond, Names, Row, Table
from l3_modeltools.frameworks.translate.told import Told
from l3_modeltools.frameworks.translate.vocabulary import UNPADDED, uneven_vocabulary
from l3_modeltools.frameworks.translate.world import UNTOLD_RANKS, data_parallel, ranks
from l3_modeltools.frameworks.translate.writing import json_text
from l3_modeltools.schemas import balanced_offset

__all__ = ["DEEPSPEED"]

TP, EP, EXPERTS = "tensor_parallel.autotp_size", "expert_parallel.autoep_size", "expert_parallel.enabled"
SP, DP, PP = "sequence_parallel_size", "data_parallel_size", "pipeline.stages"
BATCH, MICRO, STEPS = "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"
ZERO, INTERVAL = "zero_optimization.stage", "pipeline.activation_checkpoint_interval"


def _pp(config: Config) -> int:
    return 1 if config.value(PP) in (None, "auto") else config.count(PP, 1)


def _tp(config: Config) -> int:
    return 1 if config.value(TP) == 0 else config.count(TP, 1)


def _write_tp(told: Told) -> Names:
    tp = told.strategy.degrees.tp
    return {TP: tp} if tp > 1 else {}


def _said(config: Config, name: str) -> int | None:
    """A number that another program may fill in, as `auto`."""
    return None if config.value(name) in (None, "auto") else config.count(name, 1)


def _steps(config: Config) -> int | None:
    return _said(config, STEPS)


def _from_batch(config: Config) -> int | None:
    batch, micro, steps = _said(config, BATCH), _said(config, MICRO), _steps(config)
    if batch is None or micro is None or steps is None:
        return None
    if batch % (micro * steps):
        raise config.bad(BATCH, f"a multiple of {MICRO} {micro} × {STEPS} {steps}")
    return batch // (micro * steps)


def _dp(config: Config) -> int:
    told = _said(config, DP) or _from_batch(config)
    return told or data_parallel(config, _tp(config) * _pp(config) * config.count(SP, 1))


def _micro(config: Config) -> int:
    told, batch, steps = _said(config, MICRO), _said(config, BATCH), _steps(config)
    if told is not None or batch is None:
        return told or 1
    unit = _dp(config) * (steps or 1)
    if batch % unit:
        raise config.bad(BATCH, f"a multiple of {STEPS} {steps or 1} × the {_dp(config)} copies")
    return batch // unit


def _batch(config: Config) -> int | None:
    told, steps = _said(config, BATCH), _steps(config)
    return told or (_micro(config) * steps * _dp(config) if steps else None)


def _write_batch(told: Told) -> Names:
    strategy, steps = told.strategy, told.microbatches or max(1, told.strategy.degrees.pp)
    return {
        BATCH: strategy.micro_batch_size * steps * strategy.degrees.dp,
        MICRO: strategy.micro_batch_size,
        STEPS: steps,
    }


def _write_ep(told: Told) -> Names:
    ep = told.strategy.degrees.ep
    return {EXPERTS: True, EP: ep} if ep > 1 else {}


def _read_ep(config: Config) -> int:
    return config.count(EP, 1) if config.flag(EXPERTS) else 1


def _write_cp(told: Told) -> Names:
    degrees = told.strategy.degrees
    return {SP: degrees.cp, DP: degrees.dp} if degrees.cp > 1 else {}


def _write_pp(told: Told) -> Names:
    pp = told.strategy.degrees.pp
    return {PP: pp} if pp > 1 else {}


def _offset(config: Config) -> Counts | None:
    """PipelineModule deals layers itself, so that stages are about alike."""
    architecture, pp = config.architecture, _pp(config)
    if architecture is None or architecture.layers % pp == 0:
        return None
    return balanced_offset(architecture.layers, pp, 1)


def _write_mode(told: Told) -> Names:
    recompute = told.strategy.recompute
    some = recompute.layers is None or any(map(any, recompute.layers))
    return {INTERVAL: 1} if told.strategy.degrees.pp > 1 and recompute.mode == "full" and some else {}


def _mode(config: Config) -> str:
    interval = config.integer(INTERVAL, 0) or 0
    return "full" if interval > 0 and _pp(config) > 1 else "none"


def _format(config: Config) -> str | None:
    bf16, fp16 = config.value("bf16.enabled"), config.value("fp16.enabled")
    if bf16 is True:
        return "bf16"
    if fp16 is True:
        return "fp16"
    return None if "auto" in (bf16, fp16) else "fp32"


def _dtype(name: str) -> Row:
    words = {"fp32": "fp32", "bf16": "bf16", "fp16": "fp16"}
    path = "practice.gradients" if name.startswith("data_types") else "practice.reduced"
    return Row(path=path, names=(name,), read=lambda config: config.word(name, words, "") or None)


ROWS = (
    Row(
        path="degrees.dp",
        names=(DP,),
        read=_dp,
        note="or train_batch_size / (micro batch · accumulation), or ranks / (tp · pp · cp)",
    ),
    Row(path="degrees.tp", names=(TP,), read=_tp, write=_write_tp, note="AutoTP; 0 is none"),
    Row(
        path="degrees.pp",
        names=(PP,),
        read=_pp,
        write=_write_pp,
        note="and num_stages of PipelineModule in code",
    ),
    Row(
        path="degrees.cp",
        names=(SP,),
        read=lambda config: config.count(SP, 1),
        write=_write_cp,
        note="Ulysses: exchanges heads for tokens",
    ),
    Row(path="degrees.ep", names=(EP, EXPERTS), read=_read_ep, write=_write_ep, note="AutoEP"),
    Row(path="degrees.vp", names=(), read=lambda config: 1),
    Row(path="degrees.sequence_parallel", names=(), read=lambda config: False),
    Row(path="pipeline.offset", names=(), read=_offset),
    Row(path="pipeline.schedule", names=(), read=lambda config: "1f1b"),
    Row(
        path="recompute.mode",
        names=(INTERVAL,),
        read=_mode,
        write=_write_mode,
        note="only of a PipelineModule; else the model's code decides",
    ),
    Row(path="recompute.layers", names=(), read=lambda config: None),
    Row(path="recompute.selective_layers", names=(), read=lambda config: None),
    Row(path="recompute.gathering_layers", names=(), read=lambda config: None),
    Row(
        path="zero_stage",
        names=(ZERO,),
        read=lambda config: int(config.word(ZERO, {str(stage): str(stage) for stage in range(4)}, "0")),
        write=lambda told: {ZERO: told.strategy.zero_stage},
    ),
    Row(path="micro_batch_size", names=(MICRO,), read=_micro, write=_write_batch),
    Row(path="vocab_parallel", names=(), read=lambda config: True, note="taken to be cut"),
    Row(path="padded_vocab_size", names=(), read=lambda config: uneven_vocabulary(config, _tp(config))),
    Row(path="workload.sequence_length", names=(), read=lambda config: None),
    Row(path="workload.global_batch_size", names=(BATCH, STEPS), read=_batch),
    Row(path="practice.compute", names=("bf16.enabled", "fp16.enabled"), read=_format),
    Row(path="practice.weights", names=(), read=_format),
    _dtype("data_types.grad_accum_dtype"),
    _dtype("communication_data_type"),
    Row(
        path="practice.overlap_dp",
        names=("zero_optimization.overlap_comm",),
        read=lambda config: (
            config.flag("zero_optimization.overlap_comm")
            if config.value("zero_optimization.overlap_comm") in (True, False)
            else None
        ),
    ),
)


def _offloads(name: str) -> Beyond:
    what = "optimizer state" if "optimizer" in name else "weights"
    return Beyond(
        name=f"zero_optimization.{name}",
        when=lambda config: config.value(f"zero_optimization.{name}.device") in ("cpu", "nvme"),
        lost=f"{what} in the host's memory or on its disks",
        instead="it is taken to lie on the device",
    )


def _groups(name: str) -> Beyond:
    return Beyond(
        name=f"zero_optimization.{name}",
        when=lambda config: (config.integer(f"zero_optimization.{name}", 1) or 1) > 1,
        lost="weights sharded within groups of copies only",
        instead="they are taken to be sharded over all copies",
    )


def _nobody_says(config: Config) -> bool:
    return _said(config, DP) is None and _from_batch(config) is None and ranks(config) is None


BEYOND = (
    Beyond(name=UNTOLD_RANKS.name, when=_nobody_says, lost=UNTOLD_RANKS.lost, instead=UNTOLD_RANKS.instead),
    _offloads("offload_optimizer"),
    _offloads("offload_param"),
    _groups("zero_hpz_partition_size"),
    _groups("mics_shard_size"),
    Beyond(
        name="activation_checkpointing",
        when=lambda config: bool(config.below("activation_checkpointing")),
        lost="how recomputed layers are kept; which ones are, the model's code decides",
        instead="nothing is taken to be recomputed unless a pipeline says so",
    ),
)

MODEL = "the model's code decides: DeepSpeed's configuration does not say"
REASONS = {
    "degrees.sequence_parallel": "AutoTP does not cut the sequence",
    "pipeline.offset": "PipelineModule deals its layers itself (partition_method)",
    "pipeline.schedule": "its pipeline engine runs 1F1B",
    "recompute.mode": MODEL,
    "recompute.layers": MODEL,
    "recompute.selective_layers": MODEL,
    "recompute.gathering_layers": MODEL,
    "padded_vocab_size": UNPADDED,
    "workload.sequence_length": MODEL,
}


def _render(names: Names) -> Mapping[str, str] | tuple[str, ...]:
    return {"ds_config.json": json_text(names)}


def _layers(config: Config) -> int | None:
    return config.architecture.layers if config.architecture else None


DEEPSPEED = Table(
    framework="deepspeed",
    practice="deepspeed",
    rows=ROWS,
    beyond=BEYOND,
    reasons=REASONS,
    layers=_layers,
    render=_render,
    sources=(
        "deepspeedai/DeepSpeed@edaa722 docs/_pages/config-json.md",
        "deepspeedai/DeepSpeed@edaa722 deepspeed/runtime/config.py",
        "deepspeedai/DeepSpeed@edaa722 deepspeed/runtime/pipe/engine.py",
    ),
)

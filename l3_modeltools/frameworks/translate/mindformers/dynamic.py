"""Which field of MindFormers' YAML says what, the dynamic graph of 2.x.

Source: mindspore-ai/mindformers@167a50d mindformers/pynative/config/config.py (ParallelismConfig,
TrainingConfig, RecomputeConfig), pynative/trainer/trainer.py, pynative/distributed/pipeline_parallel.py.
"""

from collections.abc import Mapping

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.mindformers import again, placement
from l3_modeltools.frameworks.translate.table import Beyond, Names, Row, Table, number
from l3_modeltools.frameworks.translate.told import Told
from l3_modeltools.frameworks.translate.vocabulary import UNPADDED, uneven_vocabulary
from l3_modeltools.frameworks.translate.world import UNTOLD_RANKS, data_parallel
from l3_modeltools.frameworks.translate.writing import yaml_text

__all__ = ["DYNAMIC_MINDFORMERS"]

SHARD, TP, CP = (
    "parallelism.data_parallel_shard",
    "parallelism.tensor_parallel",
    "parallelism.context_parallel",
)
SEQUENCE, RESHARD = "parallelism.sequence_parallel", "parallelism.reshard_after_forward_policy"
MICRO, BATCH = "training.local_batch_size", "training.global_batch_size"


def _dp(config: Config) -> int:
    return data_parallel(config, config.count(TP, 1) * config.count(placement.PP, 1) * config.count(CP, 1))


def _shard(config: Config) -> int:
    told = config.integer(SHARD, -1) or -1
    return _dp(config) if told < 0 else told


def _zero(config: Config) -> int:
    """Weights are sharded over data_parallel_shard · cp, gathered for a pass or for a step."""
    if _shard(config) * config.count(CP, 1) == 1:
        return 0
    word = config.word(RESHARD, {"default": "default", "always": "3", "never": "2"}, "default")
    return (2 if config.count(placement.PP, 1) > 1 else 3) if word == "default" else int(word)


def _write_zero(told: Told) -> Names:
    stage, dp = told.strategy.zero_stage, told.strategy.degrees.dp
    return {SHARD: dp if stage else 1, RESHARD: "always" if stage == 3 else "never"}


def _sequence(config: Config) -> bool:
    return config.flag(SEQUENCE) and config.count(TP, 1) > 1


ROWS = (
    Row(path="degrees.dp", names=(), read=_dp, note="ranks / (tp · pp · cp): msrun's --worker_num"),
    number("degrees.tp", TP),
    number("degrees.pp", placement.PP),
    number("degrees.cp", CP),
    number("degrees.ep", "parallelism.expert_parallel"),
    Row(
        path="degrees.vp",
        names=(placement.VP,),
        read=lambda config: config.count(placement.VP, 1),
        write=placement.write_stages,
    ),
    Row(
        path="degrees.sequence_parallel",
        names=(SEQUENCE,),
        read=_sequence,
        write=lambda told: {SEQUENCE: told.strategy.degrees.tp > 1},
        note="must be true with tp",
    ),
    Row(
        path="pipeline.offset",
        names=(placement.HELD, placement.LAYERS, placement.MTP),
        read=placement.offset,
        note="ranges of layers by rank",
    ),
    Row(
        path="pipeline.schedule",
        names=(placement.SCHEDULE,),
        read=lambda config: "interleaved" if config.count(placement.VP, 1) > 1 else "1f1b",
        note="follows from vp",
    ),
    Row(path="recompute.mode", names=(again.MODE,), read=again.mode, write=again.write_recompute),
    Row(
        path="recompute.layers",
        names=(again.FULL, again.PARTS),
        read=again.recomputed,
        note="ranges of layers",
    ),
    Row(path="recompute.selective_layers", names=(), read=lambda config: None),
    Row(path="recompute.gathering_layers", names=(), read=lambda config: None),
    Row(
        path="zero_stage",
        names=(SHARD, RESHARD),
        read=_zero,
        write=_write_zero,
        note="never: ZeRO 2; always: 3; default: 2 with a pipeline, else 3",
    ),
    number("micro_batch_size", MICRO),
    Row(path="vocab_parallel", names=(), read=lambda config: True, note="taken to be cut"),
    Row(
        path="padded_vocab_size", names=(), read=lambda config: uneven_vocabulary(config, config.count(TP, 1))
    ),
    Row(
        path="workload.sequence_length",
        names=(placement.LENGTH,),
        read=lambda config: config.count(placement.LENGTH, 1) if config.has(placement.LENGTH) else None,
        write=lambda told: {placement.LENGTH: told.sequence_length},
    ),
    Row(
        path="workload.global_batch_size",
        names=(BATCH,),
        read=lambda config: config.count(BATCH, 1) if config.has(BATCH) else None,
        write=lambda told: {BATCH: told.global_batch_size},
    ),
    Row(
        path="practice.weights",
        names=("model.params_dtype",),
        read=lambda config: (
            config.word("model.params_dtype", {"float32": "fp32", "bfloat16": "bf16"}, "") or None
        ),
    ),
    Row(
        path="practice.compute",
        names=("model.compute_dtype",),
        read=lambda config: (
            config.word("model.compute_dtype", {"float32": "fp32", "bfloat16": "bf16"}, "") or None
        ),
    ),
)

BEYOND = (
    UNTOLD_RANKS,
    Beyond(
        name=SHARD,
        when=lambda config: 1 < _shard(config) < _dp(config),
        lost="hybrid sharding: weights sharded within groups of copies only",
        instead="they are taken to be sharded over all copies",
    ),
    Beyond(
        name="parallelism.dense_fsdp_shard_size",
        when=lambda config: config.has("parallelism.dense_fsdp_shard_size"),
        lost="dense weights sharded within groups of copies only",
        instead="they are taken to be sharded over all copies",
    ),
    Beyond(
        name="parallelism.cpu_offload",
        when=lambda config: config.flag("parallelism.cpu_offload"),
        lost="weights, gradients and optimizer state in the host's memory",
        instead="they are taken to lie on the device",
    ),
    Beyond(
        name=again.FULL,
        when=again.scattered,
        lost="which layers of a stage are recomputed",
        instead="as many of its first ones",
    ),
    Beyond(
        name=placement.SCHEDULE,
        when=lambda config: str(config.value(placement.SCHEDULE)) == "gpipe",
        lost="all forward passes before any backward pass",
        instead="1F1B, which keeps fewer micro batches",
    ),
)

REASONS = {
    "degrees.sequence_parallel": "tensor parallelism must cut the sequence too",
    "pipeline.offset": "further layers for prediction are on top of those of the last stage",
    "pipeline.schedule": "the dynamic graph has no zero-bubble schedule",
    "recompute.layers": "layers are counted from the model's, which is not known",
    "recompute.mode": "one mode is for all layers",
    "recompute.selective_layers": "one mode is for all layers",
    "recompute.gathering_layers": "exchanges are not chosen by layer here",
    "zero_stage": "its FSDP shards optimizer, gradients and weights, over dp and cp: there is no ZeRO 1",
    "padded_vocab_size": UNPADDED,
}


def _render(names: Names) -> Mapping[str, str] | tuple[str, ...]:
    return {"train.yaml": yaml_text(names)}


DYNAMIC_MINDFORMERS = Table(
    framework="mindformers-2",
    practice="mindformers",
    rows=ROWS,
    beyond=BEYOND,
    reasons=REASONS,
    layers=placement.layers,
    render=_render,
    sources=(
        "mindspore-ai/mindformers@167a50d mindformers/pynative/config/config.py",
        "mindspore-ai/mindformers@167a50d mindformers/pynative/distributed/pipeline_parallel.py",
        "mindspore-ai/mindformers@167a50d mindformers/pynative/distributed/activation_checkpoint.py",
    ),
)

"""Which field of torchtitan says what, for its command line of today and the TOML of before.

Sources: pytorch/torchtitan@b5bcd76 torchtitan/config/configs.py; before 9810191 (TOML)
pytorch/torchtitan@238fa99 torchtitan/config/job_config.py.
"""

from collections.abc import Mapping
from dataclasses import replace

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.table import Beyond, Names, Row, Table, number
from l3_modeltools.frameworks.translate.torchtitan import batch, checkpointing, pipeline, sharding
from l3_modeltools.frameworks.translate.vocabulary import UNPADDED, uneven_vocabulary
from l3_modeltools.frameworks.translate.world import UNTOLD_RANKS
from l3_modeltools.frameworks.translate.writing import arguments, toml_text

__all__ = ["OLDER_TORCHTITAN", "TORCHTITAN"]


def _format(config: Config) -> str | None:
    if any("float8" in str(config.value(name)) for name in ("model.converters", "quantize.linear")):
        return "fp8"
    words = {"bfloat16": "bf16", "float32": "fp32"}
    return config.word("training.mixed_precision_param", words, "") or None


def _weights(config: Config) -> str | None:
    return config.word("training.dtype", {"bfloat16": "bf16", "float32": "fp32"}, "") or None


COMMON = (
    Row(
        path="degrees.dp",
        names=(sharding.REPLICATE, sharding.SHARD),
        read=sharding.dp,
        write=sharding.write_dp,
        note="their product; copies of ZeRO 0 are replicated, others sharded",
    ),
    number("degrees.tp", sharding.TP),
    number("degrees.pp", pipeline.PP),
    number("degrees.cp", sharding.CP),
    number("degrees.ep", "parallelism.expert_parallel_degree"),
    Row(
        path="degrees.vp",
        names=(pipeline.PER_STAGE,),
        read=pipeline.read_vp,
        note="the stages that this or the modules make / pp; 2 for a looped schedule without either",
    ),
    Row(
        path="degrees.sequence_parallel",
        names=(sharding.SEQUENCE,),
        read=sharding.sequence,
        write=sharding.write_sequence,
    ),
    Row(
        path="pipeline.offset",
        names=(pipeline.FIRST, pipeline.LAST, pipeline.MODULES),
        read=pipeline.read_offset,
        write=pipeline.writer("lm_head"),
        note="1 and 1 fewer unless said; the modules where that does not say it",
    ),
    Row(path="pipeline.schedule", names=(pipeline.SCHEDULE,), read=pipeline.read_schedule),
    Row(
        path="zero_stage",
        names=(sharding.RESHARD,),
        read=sharding.zero,
        write=sharding.write_zero,
        note="never: ZeRO 2; always: 3; default: 2 with a pipeline, else 3",
    ),
    Row(
        path="recompute.mode",
        names=(checkpointing.MODE, checkpointing.POLICY, checkpointing.OPTION),
        read=checkpointing.mode,
        write=checkpointing.write_mode,
    ),
    Row(path="recompute.layers", names=(), read=checkpointing.layers, note="all layers, or every n-th"),
    Row(path="recompute.selective_layers", names=(), read=lambda config: None),
    Row(path="recompute.gathering_layers", names=(), read=lambda config: None),
    Row(path="vocab_parallel", names=(), read=lambda config: True, note="always cut"),
    Row(
        path="padded_vocab_size",
        names=(),
        read=lambda config: uneven_vocabulary(config, config.count(sharding.TP, 1)),
    ),
    Row(path="practice.compute", names=("training.mixed_precision_param",), read=_format),
    Row(path="practice.weights", names=("training.dtype",), read=_weights),
    Row(
        path="practice.fused_elementwise",
        names=("compile.enable",),
        read=lambda config: config.flag("compile.enable"),
    ),
)

TODAY = (
    Row(
        path="workload.sequence_length",
        names=(batch.CONTEXT,),
        read=batch.read_context,
        write=batch.write_tokens,
    ),
    Row(
        path="workload.global_batch_size",
        names=(batch.STEP, batch.MICROS),
        read=batch.read_step,
        note="tokens of a step / those of a sequence",
    ),
    Row(
        path="micro_batch_size",
        names=(batch.TOKENS,),
        read=batch.read_micro,
        note="tokens of a micro batch / those of a sequence",
    ),
)

BEFORE = (
    Row(
        path="workload.sequence_length",
        names=(batch.LENGTH,),
        read=batch.read_length,
        write=batch.write_older,
    ),
    Row(path="workload.global_batch_size", names=(batch.BATCH,), read=batch.read_batch),
    Row(
        path="micro_batch_size",
        names=(batch.LOCAL, batch.MICRO),
        read=batch.read_older_micro,
        note="with a pipeline the second, else the first",
    ),
)


def _partly(config: Config) -> bool:
    return config.count(sharding.REPLICATE, 1) > 1 and sharding.shard(config) > 1


BEYOND = (
    replace(
        UNTOLD_RANKS,
        when=lambda config: config.integer(sharding.SHARD, -1) == -1 and UNTOLD_RANKS.when(config),
    ),
    Beyond(
        name=sharding.REPLICATE,
        when=_partly,
        lost="hybrid sharding: weights sharded within groups of copies only",
        instead="they are taken to be sharded over all copies",
    ),
    Beyond(
        name=pipeline.SCHEDULE,
        when=lambda config: (
            str(config.value(pipeline.SCHEDULE)).casefold() in ("gpipe", "loopedbfs", *pipeline.FOLDED)
        ),
        lost="a schedule that a strategy has no word for",
        instead="the nearest one; stages stand where that schedule puts them",
    ),
    Beyond(
        name=checkpointing.OPTION,
        when=lambda config: checkpointing.every(config) > 1,
        lost="every n-th layer recomputed whole",
        instead="as many of the first layers of each stage; all of them where the layers are not known",
    ),
    Beyond(
        name="activation_checkpoint.memory_budget",
        when=lambda config: str(config.value(checkpointing.MODE)).replace("-", "_") == "memory_budget",
        lost="recomputation up to a budget of memory",
        instead="it is taken as selective",
    ),
    Beyond(
        name="parallelism.expert_tensor_parallel_degree",
        when=lambda config: config.count("parallelism.expert_tensor_parallel_degree", 1) > 1,
        lost="experts cut by tp as well",
        instead="experts are taken to be cut by ep alone",
    ),
    Beyond(
        name="training.enable_cpu_offload",
        when=lambda config: config.flag("training.enable_cpu_offload"),
        lost="weights, gradients and optimizer state in the host's memory",
        instead="they are taken to lie on the device",
    ),
)

REASONS = {
    "vocab_parallel": "tp cuts the embedding and the output there",
    "degrees.vp": "without the model's layers a looped schedule has 2 stages on a rank",
    "degrees.sequence_parallel": "tensor parallelism always cuts the sequence too",
    "pipeline.offset": "stages of a looped schedule are counted from the model's layers",
    "pipeline.schedule": "its zero-bubble schedules need 2 stages on a rank or more",
    "zero_stage": "torchtitan has no ZeRO 1: FSDP2 shards optimizer, gradients and weights, over dp and cp",
    "recompute.mode": "one policy is for all layers",
    "recompute.layers": "one policy is for all layers",
    "recompute.selective_layers": "one policy is for all layers",
    "recompute.gathering_layers": "gathered tokens are kept",
    "padded_vocab_size": UNPADDED,
    "micro_batch_size": "batches are counted in tokens, for which the strategy needs a workload",
}

SOURCES = (
    "pytorch/torchtitan@b5bcd76 torchtitan/config/configs.py",
    "pytorch/torchtitan@b5bcd76 torchtitan/distributed/pipeline_parallel.py",
    "pytorch/torchtitan@b5bcd76 torchtitan/distributed/fsdp.py",
)


def _render(names: Names) -> Mapping[str, str] | tuple[str, ...]:
    """The policy of activation checkpointing is a word of its own, after all options."""
    options = {f"--{name}": str(value) if isinstance(value, bool) else value for name, value in names.items()}
    policy = options.pop(f"--{checkpointing.MODE}", None)
    options.pop(f"--{checkpointing.OPTION}", None)
    return (*arguments(options), *([f"{checkpointing.POLICY}:{policy}"] if policy else []))


def _render_toml(names: Names) -> Mapping[str, str] | tuple[str, ...]:
    return {"train.toml": toml_text(names)}


TORCHTITAN = Table(
    framework="torchtitan",
    practice="torchtitan",
    rows=(*COMMON, *TODAY),
    beyond=BEYOND,
    reasons=REASONS,
    layers=pipeline.layers,
    render=_render,
    sources=SOURCES,
)


def _before(row: Row) -> Row:
    if row.path == "pipeline.offset":
        return replace(row, write=pipeline.writer("output"))
    if row.path == "degrees.sequence_parallel":
        return Row(path=row.path, names=(), read=lambda config: config.count(sharding.TP, 1) > 1)
    return row


OLDER_TORCHTITAN = replace(
    TORCHTITAN,
    rows=(*map(_before, COMMON), *BEFORE),
    render=_render_toml,
    sources=("pytorch/torchtitan@238fa99 torchtitan/config/job_config.py",),
)

"""Which argument of Megatron-LM says what.

Sources: NVIDIA/Megatron-LM@d98e8a6, files in MEGATRON.sources.
"""

from collections.abc import Mapping

from l3_modeltools.frameworks.translate.config import Config, Value
from l3_modeltools.frameworks.translate.megatron import pipeline, recompute
from l3_modeltools.frameworks.translate.table import Beyond, Names, Row, Table, number
from l3_modeltools.frameworks.translate.told import Told
from l3_modeltools.frameworks.translate.world import UNTOLD_RANKS, data_parallel
from l3_modeltools.frameworks.translate.writing import arguments

__all__ = ["FLAGS", "MEGATRON", "NAMES"]

TP, CP = "--tensor-model-parallel-size", "--context-parallel-size"
MICRO, BATCH, LENGTH = "--micro-batch-size", "--global-batch-size", "--seq-length"
VOCABULARY, DIVISOR = "--vocab-size", "--make-vocab-size-divisible-by"
DISTRIBUTED, SHARDED, STRATEGY = (
    "--use-distributed-optimizer",
    "--use-megatron-fsdp",
    "--data-parallel-sharding-strategy",
)
FSDP2, KEPT = "--use-torch-fsdp2", "--torch-fsdp2-no-reshard-after-forward"
ZERO = {"no_shard": "0", "optim": "1", "optim_grads": "2", "optim_grads_params": "3"}


def _dp(config: Config) -> int:
    cut = config.count(TP, 1) * config.count(pipeline.PP, 1) * config.count(CP, 1)
    return data_parallel(config, cut)


def _zero(config: Config) -> int:
    if config.flag(FSDP2):
        return 2 if config.flag(KEPT) else 3
    if config.flag(SHARDED):
        return int(config.word(STRATEGY, ZERO, "3"))
    return 1 if config.flag(DISTRIBUTED) else 0


def _write_zero(told: Told) -> Names:
    stage = told.strategy.zero_stage
    words = {int(meaning): word for word, meaning in ZERO.items()}
    if stage < 2:
        return {DISTRIBUTED: True} if stage else {}
    return {DISTRIBUTED: True, SHARDED: True, STRATEGY: words[stage]}


def _padded(config: Config) -> int | None:
    """Megatron pads to a multiple of its divisor times tp, always."""
    told = config.integer(VOCABULARY) or (config.architecture.vocab_size if config.architecture else None)
    if told is None:
        return None
    unit = config.count(DIVISOR, 128) * config.count(TP, 1)
    padded = -(-told // unit) * unit
    return padded if padded != told else None


def _write_padded(told: Told) -> Names:
    if told.architecture is None:
        return {}
    tp, padded = told.strategy.degrees.tp, told.strategy.padded_vocab_size
    divisor = padded // tp if padded and padded % tp == 0 else 1
    return {VOCABULARY: told.architecture.vocab_size, DIVISOR: divisor}


def _format(config: Config) -> str | None:
    if any(config.has(name) for name in ("--fp8-format", "--fp8")):
        return "fp8"
    return _weights(config)


def _weights(config: Config) -> str | None:
    return "bf16" if config.flag("--bf16") else "fp16" if config.flag("--fp16") else "fp32"


ROWS = (
    Row(
        path="degrees.dp",
        names=(),
        read=_dp,
        note="ranks / (tp · pp · cp): torchrun's --nnodes · --nproc-per-node",
    ),
    number("degrees.tp", TP),
    number("degrees.pp", pipeline.PP),
    number("degrees.cp", CP),
    number("degrees.ep", "--expert-model-parallel-size"),
    Row(
        path="degrees.vp",
        names=(pipeline.VP, pipeline.PER_STAGE),
        read=pipeline.read_vp,
        note="or the stages of the layout / pp",
    ),
    Row(
        path="degrees.sequence_parallel",
        names=("--sequence-parallel",),
        read=lambda config: config.flag("--sequence-parallel") and config.count(TP, 1) > 1,
        write=lambda told: {"--sequence-parallel": told.strategy.degrees.sequence_parallel},
    ),
    Row(
        path="pipeline.offset",
        names=(
            pipeline.LAYERS,
            pipeline.MTP,
            pipeline.FIRST,
            pipeline.LAST,
            pipeline.LAYOUT,
            pipeline.WITH_EMBEDDING,
            pipeline.WITH_LOSS,
        ),
        read=pipeline.read_offset,
        write=pipeline.write_stages,
        note="first and last stage where they alone differ, else the layout",
    ),
    Row(
        path="pipeline.schedule",
        names=(),
        read=lambda config: "interleaved" if pipeline.read_vp(config) > 1 else "1f1b",
        note="follows from vp",
    ),
    Row(
        path="recompute.mode",
        names=(recompute.GRANULARITY, recompute.OLDER),
        read=recompute.read_mode,
        write=recompute.write_recompute,
    ),
    Row(
        path="recompute.layers",
        names=(recompute.METHOD, recompute.COUNT),
        read=recompute.read_layers,
        note="one number for all stages",
    ),
    Row(path="recompute.selective_layers", names=(), read=lambda config: None),
    Row(path="recompute.gathering_layers", names=(), read=lambda config: None),
    Row(
        path="zero_stage", names=(DISTRIBUTED, SHARDED, STRATEGY, FSDP2, KEPT), read=_zero, write=_write_zero
    ),
    number("micro_batch_size", MICRO),
    Row(path="vocab_parallel", names=(), read=lambda config: True, note="always cut"),
    Row(path="padded_vocab_size", names=(VOCABULARY, DIVISOR), read=_padded, write=_write_padded),
    Row(
        path="workload.sequence_length",
        names=(LENGTH,),
        read=lambda config: config.count(LENGTH, 1) if config.has(LENGTH) else None,
        write=lambda told: {LENGTH: told.sequence_length},
    ),
    Row(
        path="workload.global_batch_size",
        names=(BATCH,),
        read=lambda config: config.count(BATCH, 1) if config.has(BATCH) else None,
        write=lambda told: {BATCH: told.global_batch_size},
    ),
    Row(path="practice.compute", names=("--fp8-format", "--fp8"), read=_format),
    Row(path="practice.weights", names=("--bf16", "--fp16"), read=_weights),
    Row(
        path="practice.gradients",
        names=("--grad-reduce-in-bf16",),
        read=lambda config: "bf16" if config.flag("--grad-reduce-in-bf16") else None,
    ),
    Row(
        path="practice.overlap_tp",
        names=("--tp-comm-overlap",),
        read=lambda config: config.flag("--tp-comm-overlap"),
    ),
    Row(
        path="practice.overlap_dp",
        names=("--overlap-grad-reduce",),
        read=lambda config: config.flag("--overlap-grad-reduce"),
    ),
    Row(
        path="practice.overlap_pp",
        names=("--no-overlap-p2p-communication",),
        read=lambda config: not config.flag("--no-overlap-p2p-communication"),
    ),
    Row(
        path="practice.fused_loss",
        names=("--cross-entropy-loss-fusion",),
        read=lambda config: config.flag("--cross-entropy-loss-fusion"),
    ),
)

BEYOND = (
    UNTOLD_RANKS,
    Beyond(
        name=pipeline.LAYOUT,
        when=pipeline.has_bare_stages,
        lost="stages without a layer, such as one of the loss alone",
        instead="they are given one of the largest stage's layers",
    ),
    Beyond(
        name="--expert-tensor-parallel-size",
        when=lambda config: config.count("--expert-tensor-parallel-size", 1) > 1,
        lost="experts cut by tp as well",
        instead="experts are taken to be cut by ep alone",
    ),
    Beyond(
        name="--num-distributed-optimizer-instances",
        when=lambda config: config.count("--num-distributed-optimizer-instances", 1) > 1,
        lost="optimizer state sharded over a part of the copies",
        instead="it is taken to be sharded over all of them",
    ),
    Beyond(
        name=recompute.COUNT,
        when=lambda config: (
            str(config.value(recompute.METHOD)) == "uniform" and config.count(recompute.COUNT, 1) > 1
        ),
        lost="recomputation in groups of layers, of which only the first input is kept",
        instead="every layer's input is taken to be kept",
    ),
    Beyond(
        name=recompute.MODULES,
        when=lambda config: config.value(recompute.MODULES) not in (None, "core_attn"),
        lost="what selective recomputation leaves out",
        instead="the attention core is taken to be computed again",
    ),
    Beyond(
        name="--distribute-saved-activations",
        when=lambda config: config.flag("--distribute-saved-activations"),
        lost="what is kept of recomputed layers, cut by tp",
        instead="it is taken to be kept whole",
    ),
    Beyond(
        name="--optimizer-cpu-offload",
        when=lambda config: config.flag("--optimizer-cpu-offload"),
        lost="optimizer state in the host's memory",
        instead="it is taken to lie on the device",
    ),
)

REASONS = {
    "vocab_parallel": "tp cuts the embedding and the output there",
    "degrees.vp": "its stages cannot be told without the model's layers",
    "pipeline.offset": "further layers for prediction must all be on the last stage",
    "pipeline.schedule": "Megatron-LM has no zero-bubble schedule; vp decides between its two",
    "recompute.mode": "Megatron-LM has one rule for all stages",
    "recompute.layers": "`block` recomputes one number of layers on every stage, `selective` all",
    "recompute.selective_layers": "a layer that is not recomputed in full keeps everything",
    "recompute.gathering_layers": "sequence parallelism gathers again in every layer",
    "padded_vocab_size": "Megatron-LM pads to a multiple of tp",
}


def _render(names: Names) -> Mapping[str, str] | tuple[str, ...]:
    return arguments(names)


MEGATRON = Table(
    framework="megatron",
    practice="megatron",
    rows=ROWS,
    beyond=BEYOND,
    reasons=REASONS,
    layers=pipeline.layers,
    render=_render,
    sources=(
        "NVIDIA/Megatron-LM@d98e8a6 megatron/training/arguments.py",
        "NVIDIA/Megatron-LM@d98e8a6 megatron/core/model_parallel_config.py",
        "NVIDIA/Megatron-LM@d98e8a6 megatron/core/transformer/transformer_config.py",
        "NVIDIA/Megatron-LM@d98e8a6 megatron/core/transformer/pipeline_parallel_layer_layout.py",
    ),
)

NAMES = frozenset({name for row in ROWS for name in row.names} | {one.name for one in BEYOND})

FLAGS: Mapping[str, Value] = dict.fromkeys(
    (
        "--sequence-parallel",
        "--bf16",
        "--fp16",
        "--grad-reduce-in-bf16",
        "--tp-comm-overlap",
        "--overlap-grad-reduce",
        "--no-overlap-p2p-communication",
        "--cross-entropy-loss-fusion",
        "--distribute-saved-activations",
        "--optimizer-cpu-offload",
        recompute.OLDER,
        pipeline.WITH_EMBEDDING,
        pipeline.WITH_LOSS,
        DISTRIBUTED,
        SHARDED,
        FSDP2,
        KEPT,
    ),
    True,
)

"""Which field of MindFormers' YAML says what, the dynamic graph of 2.x.

Source: mindspore-ai/mindformers@167a50d mindformers/pynative/config/config.py (ParallelismConfig,
TrainingConfig, RecomputeConfig), pynative/trainer/trainer.py, pynative/distributed/pipeline_parallel.py.
"""

from collections.abc import Mapping

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.mindformers.ranges import (
    chunks_of,
    first_layers,
    layers_in,
    ranges_of,
    spans,
)
from l3_modeltools.frameworks.translate.stages import Counts, decoders, flat, offset_of
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
PP, VP = "parallelism.pipeline_parallel", "parallelism.pipeline_parallel_interleave_num"
HELD, SCHEDULE = "parallelism.pipeline_parallel_layers_per_stage", "parallelism.pipeline_parallel_schedule"
SEQUENCE, RESHARD = "parallelism.sequence_parallel", "parallelism.reshard_after_forward_policy"
LAYERS, MTP, LENGTH = "model.num_hidden_layers", "model.num_nextn_predict_layers", "model.seq_length"
MICRO, BATCH = "training.local_batch_size", "training.global_batch_size"
MODE, FULL, PARTS = "recompute.mode", "recompute.full_recompute_layer", "recompute.select_module"
ATTENTION = f"{PARTS}.self_attention\\.core_attention"


def _dp(config: Config) -> int:
    return data_parallel(config, config.count(TP, 1) * config.count(PP, 1) * config.count(CP, 1))


def _shard(config: Config) -> int:
    told = config.integer(SHARD, -1) or -1
    return _dp(config) if told < 0 else told


def _zero(config: Config) -> int:
    """Weights are sharded over data_parallel_shard · cp, gathered for a pass or for a step."""
    if _shard(config) * config.count(CP, 1) == 1:
        return 0
    word = config.word(RESHARD, {"default": "default", "always": "3", "never": "2"}, "default")
    return (2 if config.count(PP, 1) > 1 else 3) if word == "default" else int(word)


def _write_zero(told: Told) -> Names:
    stage, dp = told.strategy.zero_stage, told.strategy.degrees.dp
    return {SHARD: dp if stage else 1, RESHARD: "always" if stage == 3 else "never"}


def _decoders(config: Config) -> int | None:
    if config.has(LAYERS):
        return config.count(LAYERS, 1)
    return config.architecture.num_hidden_layers if config.architecture else None


def _layers(config: Config) -> int | None:
    decoders = _decoders(config)
    return None if decoders is None else decoders + _further(config)


def _further(config: Config) -> int:
    if config.has(MTP) or config.has(LAYERS) or config.architecture is None:
        return config.integer(MTP, 0) or 0
    return config.architecture.num_nextn_predict_layers


def _stages(config: Config) -> Counts | None:
    """Layers by [v][p]; those for multi-token prediction come on top of the last stage."""
    pp, vp, decoders = config.count(PP, 1), config.count(VP, 1), _decoders(config)
    if config.value(HELD) in (None, "auto"):
        if decoders is None:
            return None
        if decoders % (pp * vp):
            found = f"{decoders} layers for pp {pp} · vp {vp}, dealt evenly"
            raise config.bad(HELD if config.has(HELD) else PP, f"`{HELD}` with ranges of layers", found=found)
        table = [[decoders // (pp * vp)] * pp for _ in range(vp)]
    else:
        table = _explicit(config, pp, vp)
    table[-1][-1] += _further(config)
    return tuple(map(tuple, table))


def _explicit(config: Config, pp: int, vp: int) -> list[list[int]]:
    value = config.value(HELD)
    try:
        rows = spans(value if isinstance(value, tuple) else ())
    except ValueError as error:
        raise config.bad(
            HELD, "a range of layers for each virtual stage of each rank", hint=str(error)
        ) from None
    if [len(row) for row in rows] != [vp] * pp:
        raise config.bad(HELD, f"{pp} ranks of {vp} ranges", found=f"{len(rows)} ranks")
    return [[rows[p][v][1] - rows[p][v][0] + 1 for p in range(pp)] for v in range(vp)]


def _offset(config: Config) -> Counts | None:
    held = _stages(config)
    return offset_of(held) if held else None


def _write_stages(told: Told) -> Names:
    degrees, architecture = told.strategy.degrees, told.architecture
    names: Names = {VP: degrees.vp, SCHEDULE: "interleaved_1f1b" if degrees.vp > 1 else "1f1b"}
    if architecture is None or told.stages is None:
        return names
    further = architecture.num_nextn_predict_layers
    held = decoders(told.stages, further, least=1)
    even = len(set(flat(held))) == 1
    stages: Names = {HELD: "auto" if even else chunks_of(held)}
    counted: Names = {LAYERS: architecture.num_hidden_layers, **({MTP: further} if further else {})}
    return {**names, **(stages if degrees.pp > 1 else {}), **counted}


def _mode(config: Config) -> str:
    return config.word(MODE, {"none": "none", "full": "full", "select": "selective"}, "none")


def _named(config: Config) -> set[int]:
    told = config.below(PARTS)
    values = list(told.values()) if told else [config.value(PARTS)]
    name = FULL if _mode(config) == "full" else PARTS
    found = [config.value(FULL)] if name == FULL else values
    try:
        return set().union(*(layers_in(value if isinstance(value, tuple) else (value,)) for value in found))
    except ValueError as error:
        raise config.bad(name, "ranges of layers", hint=str(error)) from None


def _recomputed(config: Config) -> Counts | None:
    held = _stages(config)
    if _mode(config) == "none" or held is None:
        return None
    table, _ = first_layers(held, _named(config))
    return None if table == held else table


def _scattered(config: Config) -> bool:
    held = _stages(config)
    return _mode(config) != "none" and held is not None and not first_layers(held, _named(config))[1]


def _write_recompute(told: Told) -> Names:
    recompute, held = told.strategy.recompute, told.stages
    if recompute.mode == "none" or (recompute.layers is not None and not any(map(any, recompute.layers))):
        return {MODE: "None"}
    name, mode = (FULL, "full") if recompute.mode == "full" else (ATTENTION, "select")
    if held is None:
        return {MODE: mode}
    wanted, end, named = flat(recompute.layers or held), 0, set[int]()
    for count, first in zip(flat(held), wanted, strict=True):
        named.update(range(end, end + first))
        end += count
    return {MODE: mode, name: ranges_of(named)}


def _sequence(config: Config) -> bool:
    return config.flag(SEQUENCE) and config.count(TP, 1) > 1


ROWS = (
    Row(path="degrees.dp", names=(), read=_dp, note="ranks / (tp · pp · cp): msrun's --worker_num"),
    number("degrees.tp", TP),
    number("degrees.pp", PP),
    number("degrees.cp", CP),
    number("degrees.ep", "parallelism.expert_parallel"),
    Row(path="degrees.vp", names=(VP,), read=lambda config: config.count(VP, 1), write=_write_stages),
    Row(
        path="degrees.sequence_parallel",
        names=(SEQUENCE,),
        read=_sequence,
        write=lambda told: {SEQUENCE: told.strategy.degrees.tp > 1},
        note="must be true with tp",
    ),
    Row(path="pipeline.offset", names=(HELD, LAYERS, MTP), read=_offset, note="ranges of layers by rank"),
    Row(
        path="pipeline.schedule",
        names=(SCHEDULE,),
        read=lambda config: "interleaved" if config.count(VP, 1) > 1 else "1f1b",
        note="follows from vp",
    ),
    Row(path="recompute.mode", names=(MODE,), read=_mode, write=_write_recompute),
    Row(path="recompute.layers", names=(FULL, PARTS), read=_recomputed, note="ranges of layers"),
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
    Row(
        path="padded_vocab_size", names=(), read=lambda config: uneven_vocabulary(config, config.count(TP, 1))
    ),
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
        name=FULL,
        when=_scattered,
        lost="which layers of a stage are recomputed",
        instead="as many of its first ones",
    ),
    Beyond(
        name=SCHEDULE,
        when=lambda config: str(config.value(SCHEDULE)) == "gpipe",
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
    layers=_layers,
    render=_render,
    sources=(
        "mindspore-ai/mindformers@167a50d mindformers/pynative/config/config.py",
        "mindspore-ai/mindformers@167a50d mindformers/pynative/distributed/pipeline_parallel.py",
        "mindspore-ai/mindformers@167a50d mindformers/pynative/distributed/activation_checkpoint.py",
    ),
)

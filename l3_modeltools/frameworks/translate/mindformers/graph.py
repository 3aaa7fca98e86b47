"""Which field of MindFormers' YAML says what, 1.x in graph mode.

Sources: mindspore-lab/mindformers@fd4deeb mindformers/modules/transformer/transformer.py
(TransformerOpParallelConfig), mindformers/trainer/base_trainer.py (the global batch), mindformers/models/utils.py.
"""

from collections.abc import Mapping

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.mindformers import recompute, stages
from l3_modeltools.frameworks.translate.table import Beyond, Names, Row, Table, number
from l3_modeltools.frameworks.translate.told import Told
from l3_modeltools.frameworks.translate.vocabulary import uneven_vocabulary
from l3_modeltools.frameworks.translate.writing import yaml_text

__all__ = ["MINDFORMERS"]

DP, TP = "parallel_config.data_parallel", "parallel_config.model_parallel"
MICROS, COPIES = "parallel_config.micro_batch_num", "micro_batch_interleave_num"
SEQUENCE, BATCH = "parallel_config.use_seq_parallel", "runner_config.batch_size"
STEPS, LENGTH = "runner_config.gradient_accumulation_steps", "model.model_config.seq_length"
SHARD, GRADIENTS = (
    "parallel.enable_parallel_optimizer",
    "parallel.parallel_optimizer_config.gradient_accumulation_shard",
)
WHOLE = "parallel_config.vocab_emb_dp"
VOCABULARY, PADDED = "model.model_config.vocab_size", "model.model_config.padded_vocab_size"
AGAIN = "recompute_config.parallel_optimizer_comm_recompute"
SCHEDULERS = dict.fromkeys(("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp"), "") | {
    "zero_bubble_v": "zero_bubble"
}
FORMATS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}


def _micros(config: Config) -> int:
    """Micro batches of a step; graph mode refuses fewer than stages."""
    pp, micros = config.count(stages.PP, 1), config.count(MICROS, 1)
    if pp == 1:
        return config.count(STEPS, 1)
    if micros < pp:
        raise config.bad(MICROS, f"at least pipeline_stage {pp}")
    return micros


def _micro(config: Config) -> int:
    """Copies of a micro batch run side by side and lie in memory together."""
    return config.count(BATCH, 1) * config.count(COPIES, 1)


def _batch(config: Config) -> int | None:
    if not config.has(BATCH):
        return None
    return _micro(config) * config.count(DP, 1) * _micros(config)


def _write_batch(told: Told) -> Names:
    strategy, pp = told.strategy, told.strategy.degrees.pp
    names: Names = {BATCH: strategy.micro_batch_size, COPIES: 1}
    if pp > 1:
        return {**names, MICROS: told.microbatches or pp}
    return {**names, STEPS: told.microbatches or 1}


def _zero(config: Config) -> int:
    return 1 + config.flag(GRADIENTS) if config.flag(SHARD) else 0


def _write_zero(told: Told) -> Names:
    stage = told.strategy.zero_stage
    return {SHARD: stage > 0, **({GRADIENTS: stage > 1} if stage else {})}


def _schedule(config: Config) -> str:
    if config.count(stages.PP, 1) == 1:
        return "1f1b"
    plain = "interleaved" if stages.read_vp(config) > 1 else "1f1b"
    return config.word(stages.SCHEDULER, SCHEDULERS, "") or plain


def _padded(config: Config) -> int | None:
    padded, plain = config.integer(PADDED), config.integer(VOCABULARY)
    known = config.architecture.vocab_size if config.architecture else plain
    if padded is None:
        return uneven_vocabulary(config, config.count(TP, 1))
    return padded if padded != known else None


def _practice(path: str, name: str, words: Mapping[str, str] = FORMATS) -> Row:
    full = f"model.model_config.{name}"
    return Row(path=path, names=(full,), read=lambda config: config.word(full, words, "") or None)


ROWS = (
    number("degrees.dp", DP),
    number("degrees.tp", TP),
    number("degrees.pp", stages.PP),
    number("degrees.cp", "parallel_config.context_parallel"),
    number("degrees.ep", "parallel_config.expert_parallel"),
    Row(path="degrees.vp", names=(stages.INTERLEAVE, stages.INTERLEAVED), read=stages.read_vp),
    Row(
        path="degrees.sequence_parallel",
        names=(SEQUENCE,),
        read=lambda config: config.flag(SEQUENCE) and config.count(TP, 1) > 1,
        write=lambda told: {SEQUENCE: told.strategy.degrees.sequence_parallel},
    ),
    Row(
        path="vocab_parallel",
        names=(WHOLE,),
        read=lambda config: config.count(TP, 1) == 1 or not config.flag(WHOLE, default=True),
        write=lambda told: {WHOLE: not told.strategy.vocab_parallel},
        note="the opposite; the output too (mindformers/models/llama/llama.py)",
    ),
    Row(
        path="pipeline.offset",
        names=(stages.OFFSET, *stages.LAYERS, *stages.MTP),
        read=stages.read_offset,
        write=stages.write_stages,
        note="one number or row is repeated; its sum is what an even share leaves",
    ),
    Row(path="pipeline.schedule", names=(stages.SCHEDULER,), read=_schedule),
    Row(
        path="recompute.mode",
        names=(recompute.FULL, recompute.SELECT),
        read=recompute.read_mode,
        write=recompute.write_recompute,
        note="by stage, counted from its first layer",
    ),
    Row(path="recompute.layers", names=(recompute.FULL, recompute.SELECT), read=recompute.read_layers),
    Row(
        path="recompute.selective_layers",
        names=(recompute.SELECT,),
        read=recompute.read_selective,
        note="less those recomputed in full",
    ),
    Row(
        path="recompute.gathering_layers",
        names=(recompute.COMMUNICATION,),
        read=recompute.read_gathering,
        note="less those recomputed in full",
    ),
    Row(path="zero_stage", names=(SHARD, GRADIENTS), read=_zero, write=_write_zero),
    Row(
        path="micro_batch_size",
        names=(BATCH, COPIES),
        read=_micro,
        write=_write_batch,
        note="their product: copies lie in memory together",
    ),
    Row(
        path="padded_vocab_size",
        names=(PADDED, VOCABULARY),
        read=_padded,
        write=lambda told: {PADDED: told.strategy.padded_vocab_size},
    ),
    Row(
        path="workload.sequence_length",
        names=(LENGTH,),
        read=lambda config: config.count(LENGTH, 1) if config.has(LENGTH) else None,
        write=lambda told: {LENGTH: told.sequence_length},
    ),
    Row(
        path="workload.global_batch_size",
        names=(MICROS, STEPS),
        read=_batch,
        note="batch · copies · dp · micro batches",
    ),
    _practice("practice.compute", "compute_dtype"),
    _practice("practice.weights", "param_init_type"),
    Row(
        path="practice.flash_attention",
        names=("model.model_config.use_flash_attention",),
        read=lambda config: config.flag("model.model_config.use_flash_attention", default=True),
    ),
)


def _set(name: str, lost: str, instead: str) -> Beyond:
    return Beyond(name=name, when=lambda config: config.flag(name), lost=lost, instead=instead)


def _more(name: str, lost: str, instead: str) -> Beyond:
    return Beyond(
        name=name, when=lambda config: (config.integer(name, 1) or 1) > 1, lost=lost, instead=instead
    )


BEYOND = (
    _more(
        COPIES,
        "copies of a micro batch that hide each other's exchanges",
        "one micro batch as large as all of them",
    ),
    _more("parallel_config.seq_split_num", "sequences cut for the pipeline (Seq-Pipe)", "whole sequences"),
    _more(
        "model.model_config.fine_grain_interleave",
        "a layer cut into parts that hide exchanges",
        "whole layers",
    ),
    _more(
        "parallel.parallel_optimizer_config.optimizer_weight_shard_size",
        "optimizer state sharded over a part of the copies",
        "it is taken to be sharded over all of them",
    ),
    _set(AGAIN, "weights of recomputed layers gathered again rather than kept", "they are taken to be kept"),
    _set("swap_config.swap", "activations in the host's memory", "they are taken to lie on the device"),
    Beyond(
        name=recompute.SELECT,
        when=lambda config: recompute.patterned(config, recompute.SELECT),
        lost="which operators are computed again",
        instead="those that MindFormers takes by default, in as many layers as the most of them",
    ),
    Beyond(
        name=recompute.COMMUNICATION,
        when=lambda config: recompute.patterned(config, recompute.COMMUNICATION),
        lost="which exchanges are done again",
        instead="the gathering of tokens, in as many layers as the most of them",
    ),
    Beyond(
        name=stages.SCHEDULER,
        when=lambda config: (
            str(config.value(stages.SCHEDULER))
            in ("gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")
        ),
        lost="a schedule that a strategy has no word for",
        instead="the nearest one, with stages where an interleaved schedule has them",
    ),
)

REASONS = {
    "zero_stage": "its parallel optimizer keeps gathered weights for a step: there is no ZeRO 3",
    "pipeline.schedule": "`zero_bubble_v` needs vp 2",
    "degrees.sequence_parallel": "it needs tp",
}


def _render(names: Names) -> Mapping[str, str] | tuple[str, ...]:
    return {"parallel.yaml": yaml_text(names)}


MINDFORMERS = Table(
    framework="mindformers",
    practice="mindformers",
    rows=ROWS,
    beyond=BEYOND,
    reasons=REASONS,
    layers=stages.layers,
    render=_render,
    sources=(
        "mindspore-lab/mindformers@fd4deeb mindformers/modules/transformer/transformer.py",
        "mindspore-lab/mindformers@fd4deeb mindformers/models/utils.py",
        "mindspore-lab/mindformers@fd4deeb mindformers/trainer/base_trainer.py",
    ),
)

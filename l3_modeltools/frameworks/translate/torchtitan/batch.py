"""How torchtitan counts a batch: once in sequences, now in tokens.

Sources: pytorch/torchtitan@b5bcd76 torchtitan/config/configs.py (tokens), pytorch/torchtitan@238fa99
torchtitan/config/job_config.py (sequences: local_batch_size, of which a pipeline takes microbatches).
"""

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.table import Names
from l3_modeltools.frameworks.translate.told import Told
from l3_modeltools.frameworks.translate.torchtitan.pipeline import PP

__all__ = [
    "BATCH",
    "CONTEXT",
    "LENGTH",
    "LOCAL",
    "MICRO",
    "MICROS",
    "STEP",
    "TOKENS",
    "read_batch",
    "read_context",
    "read_length",
    "read_micro",
    "read_older_micro",
    "read_step",
    "write_older",
    "write_tokens",
]

TOKENS, STEP = "training.num_tokens_per_microbatch_per_dp_rank", "training.num_tokens_per_train_step"
CONTEXT, MICROS = "training.max_context_length", "parallelism.num_pp_microbatches"
LOCAL, BATCH, LENGTH = "training.local_batch_size", "training.global_batch_size", "training.seq_len"
MICRO = "parallelism.pipeline_parallel_microbatch_size"


def read_context(config: Config) -> int | None:
    """Tokens of a sequence."""
    return config.count(CONTEXT, 1) if config.has(CONTEXT) else None


def read_micro(config: Config) -> int:
    """Sequences of a micro batch: its tokens over those of a sequence."""
    tokens, context = config.count(TOKENS, 16384), config.count(CONTEXT, 2048)
    if tokens % context and config.has(TOKENS):
        raise config.bad(TOKENS, f"a multiple of {CONTEXT} {context}")
    return max(1, tokens // context)


def read_step(config: Config) -> int | None:
    """Sequences of a step."""
    told, context = config.integer(STEP, -1), config.count(CONTEXT, 2048)
    if told is None or told < 0:
        return None
    if told % context:
        raise config.bad(STEP, f"a multiple of {CONTEXT} {context}")
    return told // context


def write_tokens(told: Told) -> Names:
    """Tokens of a micro batch and a step; without a workload nothing can be said."""
    length, batch = told.sequence_length, told.global_batch_size
    if length is None or batch is None:
        return {}
    pipelined = told.strategy.degrees.pp > 1
    return {
        CONTEXT: length,
        TOKENS: told.strategy.micro_batch_size * length,
        STEP: batch * length,
        **({MICROS: told.microbatches} if pipelined else {}),
    }


def read_length(config: Config) -> int | None:
    """Tokens of a sequence."""
    return config.count(LENGTH, 1) if config.has(LENGTH) else None


def read_older_micro(config: Config) -> int:
    """Sequences of a micro batch: the pipeline's, or without one all that a rank takes at a time."""
    return config.count(MICRO, 1) if config.count(PP, 1) > 1 else config.count(LOCAL, 8)


def read_batch(config: Config) -> int | None:
    """Sequences of a step."""
    told = config.integer(BATCH, -1)
    return told if told is not None and told > 0 else None


def write_older(told: Told) -> Names:
    """Sequences that a rank takes at a time; a pipeline cuts them into micro batches."""
    strategy, micros = told.strategy, told.microbatches
    micro, pp = strategy.micro_batch_size, strategy.degrees.pp
    local = micro * (micros or pp) if pp > 1 else micro
    names: Names = {LENGTH: told.sequence_length, LOCAL: local, BATCH: told.global_batch_size}
    return {**names, MICRO: micro} if pp > 1 else names

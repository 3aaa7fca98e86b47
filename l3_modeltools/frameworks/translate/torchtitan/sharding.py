"""How torchtitan shares copies: FSDP2 over dp_shard · cp, replicas beside it, tensor parallelism with the sequence.

Source: pytorch/torchtitan@b5bcd76 torchtitan/distributed/parallel_dims.py, torchtitan/distributed/fsdp.py.
"""

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.table import Names
from l3_modeltools.frameworks.translate.told import Told
from l3_modeltools.frameworks.translate.torchtitan import pipeline
from l3_modeltools.frameworks.translate.world import data_parallel

__all__ = [
    "CP",
    "REPLICATE",
    "RESHARD",
    "SEQUENCE",
    "SHARD",
    "TP",
    "dp",
    "sequence",
    "shard",
    "write_dp",
    "write_sequence",
    "write_zero",
    "zero",
]

REPLICATE = "parallelism.data_parallel_replicate_degree"
SHARD = "parallelism.data_parallel_shard_degree"
RESHARD = "parallelism.fsdp_reshard_after_forward"
TP, CP = "parallelism.tensor_parallel_degree", "parallelism.context_parallel_degree"
SEQUENCE = "parallelism.enable_sequence_parallel"


def shard(config: Config) -> int:
    """Ranks that weights are sharded over, cp not counted; -1 is what others leave."""
    told = config.integer(SHARD, -1)
    if told is not None and told >= 1:
        return told
    if told != -1:
        raise config.bad(SHARD, "-1 or a whole number of 1 or more")
    cut = config.count(TP, 1) * config.count(CP, 1) * config.count(pipeline.PP, 1)
    return data_parallel(config, cut * config.count(REPLICATE, 1))


def dp(config: Config) -> int:
    """All copies: replicas of those that share."""
    return config.count(REPLICATE, 1) * shard(config)


def write_dp(told: Told) -> Names:
    """Copies as replicas with ZeRO 0, else sharing."""
    dp = told.strategy.degrees.dp
    copied = told.strategy.zero_stage == 0
    return {REPLICATE: dp if copied else 1, SHARD: 1 if copied else dp}


def zero(config: Config) -> int:
    """FSDP2 shards over dp_shard · cp; weights stay gathered between passes or do not."""
    if shard(config) * config.count(CP, 1) == 1:
        return 0
    word = config.word(RESHARD, {"default": "default", "always": "3", "never": "2"}, "default")
    return (2 if config.count(pipeline.PP, 1) > 1 else 3) if word == "default" else int(word)


def write_zero(told: Told) -> Names:
    """Whether weights are given back after a forward pass."""
    return {RESHARD: "always" if told.strategy.zero_stage == 3 else "never"}


def sequence(config: Config) -> bool:
    """Whether tensor parallelism cuts the sequence too, as it does unless told."""
    return config.count(TP, 1) > 1 and config.flag(SEQUENCE, default=True)


def write_sequence(told: Told) -> Names:
    """Say so, where there is tensor parallelism."""
    degrees = told.strategy.degrees
    return {SEQUENCE: degrees.sequence_parallel} if degrees.tp > 1 else {}

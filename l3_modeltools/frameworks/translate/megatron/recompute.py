"""Megatron-LM's recomputation: one rule for all stages, where a strategy may say each stage's own.

Source: NVIDIA/Megatron-LM@d98e8a6 megatron/core/transformer/transformer_config.py (recompute_granularity,
recompute_method, recompute_num_layers). `block` counts the first layers of each virtual stage.
"""

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.megatron.pipeline import stages
from l3_modeltools.frameworks.translate.stages import Counts, of_first
from l3_modeltools.frameworks.translate.table import Names
from l3_modeltools.frameworks.translate.told import Told

__all__ = [
    "COUNT",
    "GRANULARITY",
    "METHOD",
    "MODULES",
    "OLDER",
    "read_layers",
    "read_mode",
    "write_recompute",
]

GRANULARITY, METHOD, COUNT = "--recompute-granularity", "--recompute-method", "--recompute-num-layers"
OLDER, MODULES = "--recompute-activations", "--recompute-modules"


def read_mode(config: Config) -> str:
    """The mode; the older flag means the selective one."""
    older = "selective" if config.flag(OLDER) else "none"
    return config.word(GRANULARITY, {"full": "full", "selective": "selective"}, older)


def read_layers(config: Config) -> Counts | None:
    """The first layers of each stage with the method `block`; None: all."""
    if read_mode(config) != "full" or config.word(METHOD, {"uniform": "", "block": "block"}, "") != "block":
        return None
    held = stages(config)
    if held is None:
        raise config.bad(COUNT, "--num-layers with it, to know what stages hold")
    return of_first(held, config.count(COUNT, 1))


def write_recompute(told: Told) -> Names:
    """Say the mode, and for some layers of each stage the most that any of them recomputes."""
    recompute = told.strategy.recompute
    most = max((count for row in recompute.layers or () for count in row), default=0)
    if recompute.mode == "none" or (recompute.layers is not None and most == 0):
        return {}
    if recompute.mode == "selective":
        return {GRANULARITY: "selective"}
    if recompute.layers is None or recompute.layers == told.stages or told.stages is None:
        return {GRANULARITY: "full", METHOD: "uniform", COUNT: 1}
    return {GRANULARITY: "full", METHOD: "block", COUNT: most}

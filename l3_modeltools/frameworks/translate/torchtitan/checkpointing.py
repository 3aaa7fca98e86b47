"""torchtitan"s recomputation: one policy for all layers; once, every n-th layer whole.

Sources: pytorch/torchtitan@b5bcd76 torchtitan/distributed/activation_checkpoint.py, @238fa99
torchtitan/config/job_config.py (selective_ac_option).
"""

from l3_modeltools.frameworks.translate.config import Config
from l3_modeltools.frameworks.translate.stages import Counts
from l3_modeltools.frameworks.translate.table import Names
from l3_modeltools.frameworks.translate.told import Told
from l3_modeltools.frameworks.translate.torchtitan import pipeline

__all__ = ["MODE", "MODES", "OPTION", "POLICY", "every", "layers", "mode", "write_mode"]

MODE, OPTION = "activation_checkpoint.mode", "activation_checkpoint.selective_ac_option"
POLICY = "activation-checkpoint"
MODES = {word: word for word in ("none", "selective", "full")} | dict.fromkeys(
    ("memory-budget", "memory_budget"), "selective"
)


def every(config: Config) -> int:
    """Of how many layers one is recomputed whole; 0: parts of each are."""
    told = config.value(OPTION)
    if str(config.value(MODE) or "selective") != "selective" or str(told) == "op":
        return 0
    try:
        return int(str(told if told is not None else 2))
    except ValueError:
        raise config.bad(OPTION, "`op`, or every how many layers one is recomputed") from None


def mode(config: Config) -> str:
    """Our word for the policy; layers recomputed whole make it `full`."""
    return "full" if every(config) else config.word(MODE, MODES, "selective")


def layers(config: Config) -> Counts | None:
    """Layers of each stage that are recomputed whole, where it is every n-th; None: all."""
    nth, held = every(config), pipeline.stages(config)
    if nth < 2 or held is None:
        return None
    return tuple(tuple(count // nth for count in row) for row in held)


def _wanted(told: Told) -> str:
    recompute = told.strategy.recompute
    nothing = recompute.layers is not None and not any(map(any, recompute.layers))
    return "none" if nothing else recompute.mode


def write_mode(told: Told) -> Names:
    """The policy for all layers."""
    mode = _wanted(told)
    return {MODE: mode, **({OPTION: "op"} if mode == "selective" else {})}
